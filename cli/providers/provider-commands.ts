import type { Command } from 'commander';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import type { ProviderCredentials } from '#lambdas/inference/providers/credentials.ts';
import { isProviderName } from '#lambdas/inference/providers/settings.ts';
import { usageError } from '../errors.ts';
import { openSession } from '../session.ts';
import { textTable } from '../text-table.ts';
import { readCredential } from './credential-input.ts';

interface ProviderRow {
  name: string;
  credential_set: boolean;
  last_four: string | null;
  /** The built-in base URL: `null` where the configuration has to name one, empty where it follows from the region. */
  default_base_url: string | null;
}

export function addProviderCommands(program: Command): void {
  const group = program.command('provider').description("the gateway's own credentials at the providers");
  addSetCommand(group);
  addListCommand(group);
}

function addSetCommand(group: Command): void {
  group
    .command('set')
    .description('store the credential of a provider, read from standard input: piped, or typed at a prompt')
    .argument('<name>', 'the provider, as in the prefix of a model')
    .addHelpText(
      'after',
      `
Examples:
  npm run admin -- provider set openai                      asks, and does not show what is typed
  npm run admin -- provider set openai < openai-key.txt
  pass show openai | npm run admin -- provider set openai --stack AiGateway`,
    )
    .action(async (name: string, _options: object, command: Command) => {
      if (!isProviderName(name)) {
        throw usageError('A provider name has lower-case letters, digits and hyphens, such as "openai"');
      }
      const { providerSecret, show, terminal } = await openSession(command);
      const api_key = await readCredential(name, { input: terminal.input, prompt: terminal.errors });
      const credentials = await providerSecret.read();
      const changed = { ...credentials, [name]: { ...credentials[name], api_key } };
      await providerSecret.write(changed);
      if (!Object.hasOwn(providerCatalog, name)) {
        terminal.errors.write(
          `note: "${name}" is not built in: its base URL must be in the gateway's "providers" setting\n`,
        );
      }
      const row = providerRow(name, changed);
      show({ json: row, text: providerTable([row]) });
    });
}

function addListCommand(group: Command): void {
  group
    .command('list')
    .description('show the providers and whether the gateway has a credential for them')
    .addHelpText('after', '\nExample:\n  npm run admin -- provider list --stack AiGateway --region eu-west-1')
    .action(async (_options: object, command: Command) => {
      const { providerSecret, show } = await openSession(command);
      const credentials = await providerSecret.read();
      const names = new Set([...Object.keys(providerCatalog), ...Object.keys(credentials)]);
      const rows = [...names].map((name) => providerRow(name, credentials));
      show({ json: rows, text: providerTable(rows) });
    });
}

function providerRow(name: string, credentials: ProviderCredentials): ProviderRow {
  const key = Object.hasOwn(credentials, name) ? credentials[name]?.api_key : undefined;
  const entry = Object.hasOwn(providerCatalog, name) ? providerCatalog[name] : undefined;
  return {
    name,
    credential_set: key !== undefined,
    // Four characters of a short credential would be too much to show.
    last_four: key !== undefined && key.length >= 16 ? key.slice(-4) : null,
    default_base_url: entry?.baseUrl ?? null,
  };
}

function providerTable(rows: ProviderRow[]): string {
  return textTable(
    ['PROVIDER', 'CREDENTIAL', 'ENDS IN', 'DEFAULT BASE URL'],
    rows.map(({ name, credential_set, last_four, default_base_url }) => [
      name,
      credential_set ? 'set' : '-',
      last_four ?? '-',
      default_base_url === '' ? 'of the region' : (default_base_url ?? 'as configured'),
    ]),
  );
}
