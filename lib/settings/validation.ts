/**
 * Building blocks of the settings' schema. Each carries one message that follows the name of a setting and says what
 * its value must be, so that every error is one line: `chatMemoryMb must be a whole number from 128 to 10240: got 64`.
 */

import { z } from 'zod';

/** A mistake in the settings, with a line for each setting that is wrong. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Adds the value to a message. Not for values that may hold a credential. */
export function messageWithInput(requirement: string) {
  return { error: ({ input }: { input?: unknown }) => `${requirement}: got ${JSON.stringify(input)}` };
}

export function wholeNumber(minimum: number, maximum: number) {
  return z
    .int(messageWithInput(`must be a whole number from ${minimum} to ${maximum}`))
    .min(minimum)
    .max(maximum);
}

export function number(minimum: number, maximum: number) {
  return z
    .number(messageWithInput(`must be a number from ${minimum} to ${maximum}`))
    .min(minimum)
    .max(maximum);
}

/** An object that has these settings and no others. */
export function settingsObject<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys'
        ? `is not a setting: use ${Object.keys(shape).join(', ')}`
        : 'must be an object',
  });
}

/** `name` is that of the value itself, which the errors begin with; empty for all settings. */
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

/** Such as `providers.vllm.models[0]`. */
function formatPath(path: readonly PropertyKey[]): string {
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return text.replace(/^\.+/, '') || 'The configuration';
}
