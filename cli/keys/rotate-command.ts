import type { Command } from 'commander';
import { z } from 'zod';
import { maxOverlapMs, minOverlapMs, type Rotation, rotateKey } from '#lambdas/access/rotate-key.ts';
import { AdminError } from '../errors.ts';
import { keyId, organizationId, readOptions } from '../options.ts';
import { requireOrganization } from '../organizations/organizations.ts';
import { openSession } from '../session.ts';
import { keyNotFound, keyTable, newKeyText } from './key-text.ts';

const hourMs = 3_600_000;
const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: hourMs, d: 24 * hourMs };
const minOverlapSeconds = minOverlapMs / 1000;

/** In milliseconds. */
export const overlap = z
  .string()
  .regex(/^\d{1,7}[smhd]$/, 'It must be a whole number of s, m, h or d, such as 24h')
  .transform((text) => Number(text.slice(0, -1)) * (unitMs[text.slice(-1)] ?? Number.NaN))
  .refine(
    (overlapMs) => overlapMs >= minOverlapMs,
    `It must be at least ${minOverlapSeconds}s, for which functions cache a key: the old key would work that long anyway (to end it as soon as possible, use "key create" and "key revoke")`,
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
      `how long the old key keeps working, from ${minOverlapSeconds}s to 90d, such as 90s, 30m, 24h, 7d`,
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
      const {
        organization: organizationId,
        key: keyId,
        overlap: overlapMs,
      } = readOptions(command, rotateOptions);
      const { directory, now, show } = await openSession(command);
      const organization = await requireOrganization(directory, organizationId);
      const old = await directory.findApiKey(organizationId, keyId);
      if (old === null) throw keyNotFound(keyId, organizationId);
      const onCreated = ({ key, apiKey, replaced }: Rotation) =>
        show({
          json: { ...apiKey, key, replaced },
          text: `${keyTable([apiKey, replaced], now())}\n\n${newKeyText(key)}`,
        });
      if (await rotateKey({ directory, now }, { organization, old, overlapMs, onCreated })) return;
      throw new AdminError(
        `The key ${keyId} is revoked or expired, so it cannot be replaced: use "key create"`,
      );
    });
}
