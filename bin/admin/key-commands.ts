import { type Command, InvalidArgumentError } from 'commander';
import { hashApiKey, isLive, issueApiKey } from '../../lambdas/shared/domain/api-key.ts';
import type { ApiKey } from '../../lambdas/shared/domain/directory.ts';
import { AdminError } from './admin-error.ts';
import { parseName, parseTimeOption, requireArgument } from './command-arguments.ts';
import { openSession } from './command-session.ts';
import { requireOrganization } from './organizations.ts';
import { textTable } from './text-table.ts';

interface CreateOptions {
  organization: string;
  name: string;
  expiresAt?: string;
}

export function addKeyCommands(program: Command): void {
  const group = program.command('key').description('API keys, with which callers use the gateway');
  addCreateCommand(group);
  addListCommand(group);
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
      const { directory, show } = await openSession(command);
      const { log_shards } = await requireOrganization(directory, options.organization);
      const { key, apiKey } = issueApiKey({
        organizationId: options.organization,
        name: options.name,
        createdAt: new Date(),
        expiresAt: options.expiresAt,
        logShards: log_shards,
      });
      await directory.createApiKey(apiKey, hashApiKey(key));
      const text = `${keyTable([apiKey])}\n\n${key}\n\nThis is the key. It is not shown again: store it now.`;
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
      const { directory, show } = await openSession(command);
      await requireOrganization(directory, organizationId);
      const apiKeys = await directory.listApiKeys(organizationId);
      const none = 'This organization has no API keys yet: make one with "key create".';
      show({ json: apiKeys, text: apiKeys.length > 0 ? keyTable(apiKeys) : none });
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
      const { directory, show } = await openSession(command);
      const revokedAt = new Date().toISOString();
      const apiKey = await directory.revokeApiKey(options.organization, keyId, revokedAt);
      if (apiKey === null) throw new AdminError(missingKeyMessage(keyId, options.organization));
      show({ json: apiKey, text: keyTable([apiKey]) });
    });
}

interface RevokeOptions {
  organization: string;
  key?: string;
}

/** The key itself in the place of its id is a slip that must not end up in a log. */
function missingKeyMessage(keyId: string, organizationId: string): string {
  if (keyId.startsWith('pt_live_')) {
    return `A key is revoked by its id, which starts with "key_": see "key list ${organizationId}"`;
  }
  return `The organization ${organizationId} has no key ${keyId}: see "key list ${organizationId}"`;
}

function parseExpiry(text: string): string {
  const expiryMs = parseTimeOption(text);
  if (expiryMs <= Date.now()) throw new InvalidArgumentError('It must be in the future.');
  return new Date(expiryMs).toISOString();
}

function keyTable(apiKeys: ApiKey[]): string {
  const now = new Date();
  return textTable(
    ['KEY', 'NAME', 'ENDS IN', 'STATUS', 'CREATED', 'EXPIRES'],
    apiKeys.map((apiKey) => [
      apiKey.id,
      apiKey.name,
      apiKey.last_four,
      statusOf(apiKey, now),
      apiKey.created_at,
      apiKey.expires_at ?? 'never',
    ]),
  );
}

function statusOf(apiKey: ApiKey, now: Date): string {
  if (apiKey.revoked_at !== null) return `revoked ${apiKey.revoked_at}`;
  return isLive(apiKey, now) ? 'live' : 'expired';
}
