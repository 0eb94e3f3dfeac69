/** `key rotate`: a new key that replaces one, which keeps working for a while. */
import type { Command } from 'commander';
import { z } from 'zod';
import { hashApiKey, isLive, issueApiKey } from '#lambdas/access/api-key.ts';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { keyRevocationDelayMs } from '#lambdas/access/key-lookup.ts';
import { AdminError } from '../errors.ts';
import { keyId, organizationId, readOptions } from '../options.ts';
import { requireOrganization } from '../organizations/organizations.ts';
import { type CommandSession, openSession } from '../session.ts';
import { keyTable, newKeyText, noSuchKey } from './key-text.ts';

const hourMs = 3_600_000;
const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: hourMs, d: 24 * hourMs };
const maxOverlapMs = 90 * 24 * hourMs;
const delaySeconds = keyRevocationDelayMs / 1000;

/** In milliseconds. */
export const overlap = z
  .string()
  .regex(/^\d{1,7}[smhd]$/, 'It must be a whole number of s, m, h or d, such as 24h')
  .transform((text) => Number(text.slice(0, -1)) * (unitMs[text.slice(-1)] ?? Number.NaN))
  .refine(
    (overlapMs) => overlapMs >= keyRevocationDelayMs,
    `It must be at least ${delaySeconds}s, for which functions cache a key: the old key would work that long anyway (to end it as soon as possible, use "key create" and "key revoke")`,
  )
  .refine((overlapMs) => overlapMs <= maxOverlapMs, 'It must be at most 90d');

const rotateOptions = z.object({ organization: organizationId, key: keyId, overlap });

export function addRotateCommand(group: Command): void {
  group
    .command('rotate')
    .description('create a new key that replaces another one, which keeps working for a while')
    .requiredOption('--organization <id>', 'whose key it is')
    .requiredOption('--key <id>', 'the id of the key to replace, as key list shows it')
    .option(
      '--overlap <time>',
      `how long the old key keeps working, from ${delaySeconds}s to 90d, such as 90s, 30m, 24h, 7d`,
      '24h',
    )
    .addHelpText(
      'after',
      `
The new key has the name of the old one and, if that expires, its expiry. The old one ends after the overlap, or
earlier if it was to expire earlier.

Example:
  npm run admin -- key rotate --organization org_4fTgQ0wZ6uKc1vXb --key key_9Hs2LmQe7RtYw0Za --overlap 7d`,
    )
    .action(async (_options: object, command: Command) => {
      const { organization, key, overlap: overlapMs } = readOptions(command, rotateOptions);
      await rotateKey(await openSession(command), { organizationId: organization, keyId: key, overlapMs });
    });
}

interface Rotation {
  organizationId: string;
  keyId: string;
  overlapMs: number;
}

/**
 * The new key is created and shown before the old one gets its end. Wherever this stops, its holder has a key that works,
 * and can run it again.
 */
export async function rotateKey(
  { directory, now, show }: Pick<CommandSession, 'directory' | 'now' | 'show'>,
  rotation: Rotation,
): Promise<void> {
  const { organizationId, keyId, overlapMs } = rotation;
  const { log_shards: logShards } = await requireOrganization(directory, organizationId);
  const old = await directory.findApiKey(organizationId, keyId);
  if (old === null) throw noSuchKey(keyId, organizationId);
  const createdAt = now();
  if (!isLive(old, createdAt)) {
    throw new AdminError(
      `The key ${keyId} is revoked or expired, so it cannot be replaced: use "key create"`,
    );
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
