/** Reads arguments that may be given by place or by option. */

import { InvalidArgumentError } from 'commander';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { parseTimestamp } from '#lambdas/platform/time-window.ts';
import { usageError } from './admin-error.ts';

interface Given {
  /** What the argument is called in messages: `an organization`. */
  what: string;
  /** The option's flag: `--organization`. */
  flag: string;
  positional: string | undefined;
  option: string | undefined;
}

/** The one value that was given; by place and by option only if both say the same. */
export function requireArgument({ what, flag, positional, option }: Given): string {
  const value = option ?? positional;
  if (value === undefined) throw usageError(`Name ${what} with ${flag} (--help shows how)`);
  if (positional !== undefined && positional !== value) {
    throw usageError(`Two different values for ${what} were given: leave out ${flag} or the argument`);
  }
  return value;
}

/** A name for people: printable, on one line, at most 100 characters. */
export function parseName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > 100 || /\p{C}/u.test(name)) {
    throw new InvalidArgumentError('A name has 1 to 100 printable characters.');
  }
  return name;
}

/** Milliseconds since 1970, from RFC 3339. */
export function parseTimeOption(text: string): number {
  try {
    return parseTimestamp('It', text);
  } catch (error) {
    throw error instanceof GatewayError ? new InvalidArgumentError(`${error.message}.`) : error;
  }
}
