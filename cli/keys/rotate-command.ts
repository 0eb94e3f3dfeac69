import type { Command } from 'commander';
import { z } from 'zod';
import { maxOverlapMs, minOverlapMs, rotateApiKey } from '#lambdas/access/keys/rotate.ts';
import { hourMs, minuteMs } from '#lambdas/platform/duration.ts';
import { openCommandContext } from '../command-context.ts';
import { AdminError } from '../errors.ts';
import { keyId, organizationId, readOptions } from '../options.ts';
import { requireActiveOrganization } from '../organizations/organizations.ts';
import { keyNotFoundError, keyTable, newKeyText } from './key-text.ts';

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: minuteMs, h: hourMs, d: 24 * hourMs };
const minOverlapSeconds = minOverlapMs / 1000;

/** Parses a duration such as `24h` into milliseconds. Only 0 needs no unit. */
export const overlap = z
  .string()
  .regex(/^(0|\d{1,7}[smhd])$/, 'must be 0, or a whole number followed by s, m, h or d, such as 24h')
  .transform((text) =>
    text === '0' ? 0 : Number(text.slice(0, -1)) * (unitMs[text.slice(-1)] ?? Number.NaN),
  )
  .refine(
    (overlapMs) => overlapMs === 0 || overlapMs >= minOverlapMs,
    `must be 0, which revokes the old key at once, or at least ${minOverlapSeconds}s, because functions cache a key for that long`,
  )
  .refine((overlapMs) => overlapMs <= maxOverlapMs, 'must be at most 90d');

const rotateOptions = z.object({ organization: organizationId, key: keyId, overlap });

export function addRotateCommand(group: Command): void {
  group
    .command('rotate')
    .description('replace an API key: create a new key and let the old one end after an overlap')
    .requiredOption('--organization <id>', 'organization that owns the key')
    .requiredOption('--key <id>', 'id of the key to replace, as shown by "key list"')
    .option(
      '--overlap <time>',
      `how long the old key keeps working: 0, or ${minOverlapSeconds}s to 90d, such as 90s, 30m, 24h or 7d`,
      '24h',
    )
    .addHelpText(
      'after',
      `
The new key has the same name and expiry as the old key. The old key ends after the overlap, or at its own expiry if that
is earlier. Until then, it cannot be rotated again: if the new key was lost, rotate that one.
After a leak, use --overlap 0: the old key is revoked at once, and refused everywhere within ${minOverlapSeconds} seconds.

Examples:
  npm run admin -- key rotate --organization org_4fTgQ0wZ6uKc1vXb --key key_9Hs2LmQe7RtYw0Za --overlap 7d
  npm run admin -- key rotate --organization org_4fTgQ0wZ6uKc1vXb --key key_9Hs2LmQe7RtYw0Za --overlap 0`,
    )
    .action(async (_options: object, command: Command) => {
      const {
        organization: organizationId,
        key: keyId,
        overlap: overlapMs,
      } = readOptions(command, rotateOptions);
      const { directory, openAuditTrail, now, show } = await openCommandContext(command);
      const organization = await requireActiveOrganization(directory, organizationId);
      const old = await directory.findApiKey(organizationId, keyId);
      if (old === null) throw keyNotFoundError(keyId, organizationId);
      const audit = await openAuditTrail();
      const rotation = await rotateApiKey({ directory }, { organization, old, overlapMs, audit });
      if (rotation === null) {
        throw new AdminError(`Key ${keyId} is revoked or expired and cannot be replaced: use "key create"`);
      }
      const { key, apiKey, replaced } = rotation;
      show({
        json: { ...apiKey, key, replaced },
        text: `${keyTable([apiKey, replaced], now())}\n\n${newKeyText(key)}`,
      });
    });
}
