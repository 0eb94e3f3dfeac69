/** Checks the options of a command, and says which one is wrong. Values are not repeated: one may be a secret. */

import type { Command } from 'commander';
import { z } from 'zod';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { allTime, parseTimestamp, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { usageError } from './errors.ts';

/** Throws an `AdminError` that names the option at fault. */
export function readOptions<Schema extends z.ZodType>(command: Command, schema: Schema): z.output<Schema> {
  const { success, data, error } = schema.safeParse(command.opts());
  if (success) return data;
  const [issue] = error.issues;
  const option = command.options.find((each) => each.attributeName() === issue?.path[0]);
  const message = issue?.message ?? 'The options are not valid';
  throw usageError(option === undefined ? message : `${option.long}: ${message}`);
}

/** An API key in the place of an id is a slip that must not end up in a log. */
const isNotApiKey = (text: string) => !text.startsWith('pt_live_');

export const organizationId = z
  .string()
  .min(1, 'It is empty: give the id of an organization')
  .refine(isNotApiKey, 'An organization is named by its id, which starts with "org_": see "org list"');

export const keyId = z
  .string()
  .min(1, 'It is empty: give the id of a key')
  .refine(isNotApiKey, 'A key is named by its id, which starts with "key_": see "key list"');

/** The name of something for people. */
export const displayName = z
  .string()
  .trim()
  .regex(/^\P{C}{1,100}$/u, 'A name has 1 to 100 printable characters');

/** In milliseconds since 1970. */
export const timestamp = z.string().transform((text, context) => {
  try {
    return parseTimestamp('It', text);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    context.addIssue(error.message);
    return z.NEVER;
  }
});

/** A bound of a window, moved into the time that log ids can express. */
export const windowBound = timestamp.transform((timestampMs) =>
  Math.min(Math.max(timestampMs, allTime.startMs), allTime.endMs),
);

export function windowOf(from: number, to: number): TimeWindow {
  if (from > to) throw usageError('--from must not be after --to');
  return { startMs: from, endMs: to };
}

export function wholeNumber(lowest: number, highest: number) {
  const message = `It must be a whole number from ${lowest} to ${highest}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((number) => number >= lowest && number <= highest, message);
}
