/** Query parameters as they came, checked by name. */
import { invalidRequest } from '../errors.ts';

/** Each value of each parameter, in order. */
export type RawQueryParameters = Readonly<Record<string, readonly string[] | undefined>>;

/** Of a name that nobody knows, so much is told. */
const longestName = 64;

/**
 * The named parameters, each at most once and not empty. Throws a `GatewayError` (400) that names the parameter,
 * also for one that is not known: a filter that is misspelled must not widen the answer.
 */
export function readQueryParameters<Name extends string>(
  raw: RawQueryParameters,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const parameters: Partial<Record<Name, string>> = {};
  for (const [given, values = []] of Object.entries(raw)) {
    const name = names.find((known) => known === given);
    if (name === undefined) {
      const known = names.length === 0 ? 'there are none here' : `known are ${names.join(', ')}`;
      const shown = given.slice(0, longestName);
      throw invalidRequest(shown, `Unknown query parameter ${shown}; ${known}`);
    }
    const [value, ...more] = values;
    if (more.length > 0) throw invalidRequest(name, `${name} must be given once`);
    if (value === undefined || value === '') throw invalidRequest(name, `${name} must not be empty`);
    parameters[name] = value;
  }
  return parameters;
}

/** A whole number in decimal digits. Throws a `GatewayError` (400) that names the parameter. */
export function readInteger(
  param: string,
  text: string,
  { lowest, highest, hint = '' }: { lowest: number; highest: number; hint?: string },
): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= lowest && value <= highest)) {
    throw invalidRequest(param, `${param} must be a whole number from ${lowest} to ${highest}${hint}`);
  }
  return value;
}
