/**
 * Building blocks of the settings schema. Each has one error message, which forms a sentence with the setting's name:
 * `chatMemoryMb must be a whole number from 128 to 10240: got 64`.
 */

import { z } from 'zod';

/** The message has one line for each invalid setting. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Appends the value to the message. Must not be used for values that may contain a credential. */
export function messageWithInput(requirement: string) {
  return { error: ({ input }: { input?: unknown }) => `${requirement}: got ${JSON.stringify(input)}` };
}

export function wholeNumber(min: number, max: number) {
  return z
    .int(messageWithInput(`must be a whole number from ${min} to ${max}`))
    .min(min)
    .max(max);
}

export function number(min: number, max: number) {
  return z
    .number(messageWithInput(`must be a number from ${min} to ${max}`))
    .min(min)
    .max(max);
}

export function trueOrFalse() {
  return z.boolean(messageWithInput('must be true or false'));
}

/** Lambda limits the environment of a function to 4 KB, which several settings share with other variables. */
export function maxJsonBytes(maxBytes: number) {
  return z.superRefine((value: unknown, { addIssue }) => {
    const bytes = Buffer.byteLength(JSON.stringify(value));
    if (bytes <= maxBytes) return;
    const message = `must not exceed ${maxBytes} bytes as JSON, because Lambda limits environment variables to 4 KB: got ${bytes}`;
    addIssue({ code: 'custom', message });
  });
}

/** For a check of several settings. */
export type Issues = Pick<z.RefinementCtx, 'addIssue'>;

export function settingsObject<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys'
        ? `is not a setting: valid settings are ${Object.keys(shape).join(', ')}`
        : 'must be an object',
  });
}

/** Throws a `SettingsError`. `name` is the setting that `value` belongs to; empty for the whole configuration. */
export function parseWith<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  name = '',
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new SettingsError(result.error.issues.flatMap((issue) => formatIssue(issue, name)).join('\n'));
}

function formatIssue(issue: z.core.$ZodIssue, name: string): string[] {
  const paths =
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
  return paths.map((path) => `${formatPath([name, ...path])} ${issue.message}`);
}

/** Formats a path such as `providers.vllm.models[0]`. */
function formatPath(path: readonly PropertyKey[]): string {
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return text.replace(/^\.+/, '') || 'The configuration';
}
