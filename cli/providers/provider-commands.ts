import type { Command } from 'commander';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import type { ProviderCredentials } from '#lambdas/inference/providers/credentials.ts';
import { isProviderName } from '#lambdas/inference/providers/settings.ts';
import { routeProvider } from '#lambdas/routing/route.ts';
import { recordOperation } from '../audited-operation.ts';
import { openCommandContext } from '../command-context.ts';
import { usageError } from '../errors.ts';
import { textTable } from '../text-table.ts';
import { readCredential } from './credential-input.ts';

interface ProviderRow {
  name: string;
  credential_set: boolean;
  last_four: string | null;
  /** The built-in base URL. `null` when the settings must define it, empty when it depends on the AWS region. */
  default_base_url: string | null;
}

export function addProviderCommands(program: Command): void {
  const group = program.command('provider').description('provider credentials of the gateway');
  addSetCommand(group);
  addListCommand(group);
}

function addSetCommand(group: Command): void {
  group
    .command('set')
    .description('store a provider credential, which is read from standard input or typed at a prompt')
    .argument('<name>', 'provider name, as in the prefix of a model name')
    .addHelpText(
      'after',
      `
Examples:
  npm run admin -- provider set openai                      (prompts without echo)
  npm run admin -- provider set openai < openai-key.txt
  pass show openai | npm run admin -- provider set openai --stack AiGateway`,
    )
    .action(async (name: string, _options: object, command: Command) => {
      if (!isProviderName(name)) {
        throw usageError(
          'The provider name is invalid: use lower-case letters, digits and hyphens, as in "openai"',
        );
      }
      if (name === routeProvider) {
        throw usageError('No provider can have the name "route", since route/NAME names a route');
      }
      const context = await openCommandContext(command);
      const { providerSecret, show, note, terminal } = context;
      const api_key = await readCredential(name, { input: terminal.input, prompt: terminal.errors });
      const credentials = await providerSecret.read();
      const changed = { ...credentials, [name]: { ...credentials[name], api_key } };
      await recordOperation(context, {
        event: {
          action: 'provider_credential.set',
          organizationId: null,
          target: { type: 'provider', id: name, name: null },
          before: credentialState(name, credentials),
          after: credentialState(name, changed),
        },
        work: () => providerSecret.write(changed),
        counts: () => ({}),
      });
      if (!Object.hasOwn(providerCatalog, name)) {
        note(
          `provider "${name}" is not built in: set its base URL in the "providers" setting of the gateway`,
        );
      }
      const row = providerRow(name, changed);
      show({ json: row, text: providerTable([row]) });
    });
}

function addListCommand(group: Command): void {
  group
    .command('list')
    .description('list the providers and whether a credential is stored for each')
    .addHelpText('after', '\nExample:\n  npm run admin -- provider list --stack AiGateway --region eu-west-1')
    .action(async (_options: object, command: Command) => {
      const { providerSecret, show } = await openCommandContext(command);
      const credentials = await providerSecret.read();
      const names = new Set([...Object.keys(providerCatalog), ...Object.keys(credentials)]);
      const rows = [...names].map((name) => providerRow(name, credentials));
      show({ json: rows, text: providerTable(rows) });
    });
}

function providerRow(name: string, credentials: ProviderCredentials): ProviderRow {
  const entry = Object.hasOwn(providerCatalog, name) ? providerCatalog[name] : undefined;
  return { name, ...credentialState(name, credentials), default_base_url: entry?.baseUrl ?? null };
}

function credentialState(name: string, credentials: ProviderCredentials) {
  const key = Object.hasOwn(credentials, name) ? credentials[name]?.api_key : undefined;
  return {
    credential_set: key !== undefined,
    // Four characters would reveal too much of a short credential.
    last_four: key !== undefined && key.length >= 16 ? key.slice(-4) : null,
  };
}

function providerTable(rows: ProviderRow[]): string {
  return textTable(
    ['PROVIDER', 'CREDENTIAL', 'ENDS IN', 'DEFAULT BASE URL'],
    rows.map(({ name, credential_set, last_four, default_base_url }) => [
      name,
      credential_set ? 'set' : '-',
      last_four ?? '-',
      default_base_url === '' ? '(depends on region)' : (default_base_url ?? '(from settings)'),
    ]),
  );
}
