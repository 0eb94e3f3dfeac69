import { type Command, InvalidArgumentError } from 'commander';
import { hashApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import { parseName, parseTimeOption, requireArgument } from '../command-arguments.ts';
import { openSession } from '../command-session.ts';
import { requireOrganization } from '../organizations/organizations.ts';
import { keyTable, newKeyText, noSuchKey } from './key-text.ts';
import { addRotateCommand } from './rotate-key-command.ts';

interface CreateOptions {
  organization: string;
  name: string;
  expiresAt?: string;
}

export function addKeyCommands(program: Command): void {
  const group = program.command('key').description('API keys, with which callers use the gateway');
  addCreateCommand(group);
  addListCommand(group);
  addRotateCommand(group);
  addRevokeCommand(group);
}

function addCreateCommand(group: Command): void {
  group
    .command('create')
    .description('make an API key and print it, this once')
    .requiredOption('--organization <id>', 'whose key it is')
    .requiredOption('--name <name>', 'what people call it', parseName)
    .option('--expires-at <time>', 'when it stops working, in RFC 3339 (default: never)', parseExpiry)
    .addHelpText(
      'after',
      `
Examples:
  npm run admin -- key create --organization org_4fTgQ0wZ6uKc1vXb --name production
  npm run admin -- key create --organization org_4fTgQ0wZ6uKc1vXb --name trial --expires-at 2027-01-31T00:00:00Z`,
    )
    .action(async (options: CreateOptions, command: Command) => {
      const { directory, now, show } = await openSession(command);
      const { log_shards } = await requireOrganization(directory, options.organization);
      const { key, apiKey } = issueApiKey({
        organizationId: options.organization,
        name: options.name,
        createdAt: now(),
        expiresAt: options.expiresAt,
        logShards: log_shards,
      });
      await directory.createApiKey(apiKey, hashApiKey(key));
      const text = `${keyTable([apiKey], now())}\n\n${newKeyText(key)}`;
      show({ json: { ...apiKey, key }, text });
    });
}

function addListCommand(group: Command): void {
  group
    .command('list')
    .description("show an organization's API keys, oldest first, the revoked and expired ones too")
    .argument('[organization]', 'the same as --organization')
    .option('--organization <id>', 'whose keys')
    .addHelpText('after', '\nExample:\n  npm run admin -- key list --organization org_4fTgQ0wZ6uKc1vXb')
    .action(async (positional: string | undefined, options: { organization?: string }, command: Command) => {
      const organizationId = requireArgument({
        what: 'the organization',
        flag: '--organization',
        positional,
        option: options.organization,
      });
      const { directory, now, show } = await openSession(command);
      await requireOrganization(directory, organizationId);
      const apiKeys = await directory.listApiKeys(organizationId);
      const none = 'This organization has no API keys yet: make one with "key create".';
      show({ json: apiKeys, text: apiKeys.length > 0 ? keyTable(apiKeys, now()) : none });
    });
}

function addRevokeCommand(group: Command): void {
  group
    .command('revoke')
    .description('end an API key for good; it may still be accepted for up to 30 seconds')
    .argument('[key]', 'the same as --key')
    .requiredOption('--organization <id>', 'whose key it is')
    .option('--key <id>', "the key's id, as key list shows it")
    .addHelpText(
      'after',
      '\nExample:\n  npm run admin -- key revoke --organization org_4fTgQ0wZ6uKc1vXb --key key_9Hs2LmQe7RtYw0Za',
    )
    .action(async (positional: string | undefined, options: RevokeOptions, command: Command) => {
      const keyId = requireArgument({ what: 'the key', flag: '--key', positional, option: options.key });
      const { directory, now, show } = await openSession(command);
      const apiKey = await directory.revokeApiKey(options.organization, keyId, now().toISOString());
      if (apiKey === null) throw noSuchKey(keyId, options.organization);
      show({ json: apiKey, text: keyTable([apiKey], now()) });
    });
}

interface RevokeOptions {
  organization: string;
  key?: string;
}

function parseExpiry(text: string): string {
  const expiryMs = parseTimeOption(text);
  if (expiryMs <= Date.now()) throw new InvalidArgumentError('It must be in the future.');
  return new Date(expiryMs).toISOString();
}
