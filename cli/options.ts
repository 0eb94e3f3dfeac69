/** Schemas for command-line options. Error messages never repeat a value, since it may be a secret. */

import type { Command } from 'commander';
import { z } from 'zod';
import { apiKeyPrefix } from '#lambdas/access/api-key.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { allTime, parseTimestamp, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { usageError } from './errors.ts';

/**
 * Throws an `AdminError` that names the invalid option. Its message begins with the option's name, so a schema's
 * message is only the rest of the sentence ("must be …").
 */
export function readOptions<Schema extends z.ZodType>(command: Command, schema: Schema): z.output<Schema> {
  const { success, data, error } = schema.safeParse(command.opts());
  if (success) return data;
  const [issue] = error.issues;
  const option = command.options.find((candidate) => candidate.attributeName() === issue?.path[0]);
  const message = issue?.message ?? 'The options are invalid';
  throw usageError(option === undefined ? message : `${option.long} ${message}`);
}

/** Rejects an API key that is passed instead of an id, before it can end up in a log. */
const isNotApiKey = (text: string) => !text.startsWith(apiKeyPrefix);

export const organizationId = z
  .string()
  .min(1, 'must not be empty: pass the id of an organization')
  .refine(
    isNotApiKey,
    'must be an organization id, which starts with "org_", not an API key: see "org list"',
  );

export const keyId = z
  .string()
  .min(1, 'must not be empty: pass the id of a key')
  .refine(isNotApiKey, 'must be a key id, which starts with "key_", not an API key: see "key list"');

export const displayName = z
  .string()
  .trim()
  .regex(/^\P{C}{1,100}$/u, 'must be 1 to 100 printable characters');

/** Milliseconds since 1970. */
export const timestamp = z.string().transform((text, context) => {
  try {
    return parseTimestamp('timestamp', text);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    context.addIssue('must be an RFC 3339 timestamp, such as 2026-01-31T09:30:00Z');
    return z.NEVER;
  }
});

/** A bound of a time window in milliseconds since 1970, clamped to the range that log ids can represent. */
export const windowBound = timestamp.transform((timestampMs) =>
  Math.min(Math.max(timestampMs, allTime.startMs), allTime.endMs),
);

export function windowOf(from: number, to: number): TimeWindow {
  if (from > to) throw usageError('--from must not be after --to');
  return { startMs: from, endMs: to };
}

export function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((number) => number >= min && number <= max, message);
}
