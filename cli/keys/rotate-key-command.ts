/** `key rotate`: a new key in the place of one that works on for a while. */
import { type Command, Option } from 'commander';
import { hashApiKey, isLive, issueApiKey } from '#lambdas/access/api-key.ts';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { AdminError } from '../admin-error.ts';
import { requireArgument } from '../command-arguments.ts';
import { type CommandSession, openSession } from '../command-session.ts';
import { requireOrganization } from '../organizations/organizations.ts';
import { keyTable, newKeyText, noSuchKey } from './key-text.ts';
import { defaultOverlapMs, parseOverlap } from './overlap.ts';

interface RotateOptions {
  organization: string;
  key?: string;
  overlap: number;
}

export function addRotateCommand(group: Command): void {
  group
    .command('rotate')
    .description('make a new key in the place of another one, which works on for a while')
    .argument('[key]', 'the same as --key')
    .requiredOption('--organization <id>', 'whose key it is')
    .option('--key <id>', 'the id of the key to replace, as key list shows it')
    .addOption(
      new Option('--overlap <time>', 'how long the old key works on: 0, or such as 90s, 30m, 24h, 7d')
        .argParser(parseOverlap)
        .default(defaultOverlapMs, '24h'),
    )
    .addHelpText(
      'after',
      `
The new key has the name of the old one and, if that expires, its expiry. The old one ends after the overlap, or
earlier if it was to expire earlier; functions hear of it within 30 seconds.

Example:
  npm run admin -- key rotate --organization org_4fTgQ0wZ6uKc1vXb --key key_9Hs2LmQe7RtYw0Za --overlap 7d`,
    )
    .action(async (positional: string | undefined, options: RotateOptions, command: Command) => {
      const keyId = requireArgument({ what: 'the key', flag: '--key', positional, option: options.key });
      const { organization: organizationId, overlap: overlapMs } = options;
      await rotateKey(await openSession(command), { organizationId, keyId, overlapMs });
    });
}

interface Rotation {
  organizationId: string;
  keyId: string;
  overlapMs: number;
}

/**
 * The new key is made and shown before the old one is given its end. Wherever this stops, a key works that its holder
 * has, and to do it again is right.
 */
export async function rotateKey(
  { directory, now, show }: Pick<CommandSession, 'directory' | 'now' | 'show'>,
  { organizationId, keyId, overlapMs }: Rotation,
): Promise<void> {
  const { log_shards: logShards } = await requireOrganization(directory, organizationId);
  const old = await directory.findApiKey(organizationId, keyId);
  if (old === null) throw noSuchKey(keyId, organizationId);
  const createdAt = now();
  if (!isLive(old, createdAt)) {
    throw new AdminError(`The key ${keyId} works no more, so there is nothing to replace: use "key create"`);
  }
  const expiresAt = old.expires_at ?? undefined;
  const { key, apiKey } = issueApiKey({ organizationId, name: old.name, createdAt, expiresAt, logShards });
  await directory.createApiKey(apiKey, hashApiKey(key));
  const end = new Date(createdAt.getTime() + overlapMs).toISOString();
  const replaced = endingBy(old, end);
  show({
    json: { ...apiKey, key, replaced },
    text: `${keyTable([apiKey, replaced], createdAt)}\n\n${newKeyText(key)}`,
  });
  await directory.expireApiKey(organizationId, keyId, end);
}

function endingBy(apiKey: ApiKey, end: string): ApiKey {
  const endsEarlier = apiKey.expires_at !== null && apiKey.expires_at < end;
  return endsEarlier ? apiKey : { ...apiKey, expires_at: end };
}
