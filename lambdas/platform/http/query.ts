import { invalidRequestError } from '../errors.ts';

export type RawQueryParameters = Readonly<Record<string, readonly string[] | undefined>>;

const maxShownNameLength = 64;

/**
 * Returns the parameters with the given names. Throws a `GatewayError` (400) that names the parameter when it is
 * repeated, empty or unknown: a misspelled filter must not widen the result.
 */
export function readQueryParameters<Name extends string>(
  raw: RawQueryParameters,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const parameters: Partial<Record<Name, string>> = {};
  for (const [received, values = []] of Object.entries(raw)) {
    const name = names.find((known) => known === received);
    if (name === undefined) {
      const valid =
        names.length === 0
          ? 'this endpoint has no query parameters'
          : `valid parameters are ${names.join(', ')}`;
      const shown = received.slice(0, maxShownNameLength);
      throw invalidRequestError(shown, `Unknown query parameter ${shown}: ${valid}`);
    }
    const [value, ...repeated] = values;
    if (repeated.length > 0) throw invalidRequestError(name, `${name} must be given once`);
    if (value === undefined || value === '') throw invalidRequestError(name, `${name} must not be empty`);
    parameters[name] = value;
  }
  return parameters;
}

/** No stored value is longer, and DynamoDB rejects keys over 2,048 bytes. */
const maxTextBytes = 256;

/** Throws a `GatewayError` (400) that names the parameter. */
export function readText(param: string, text: string): string {
  if (text.isWellFormed() && Buffer.byteLength(text) <= maxTextBytes) return text;
  throw invalidRequestError(param, `${param} must be well-formed text of at most ${maxTextBytes} bytes`);
}

/** Throws a `GatewayError` (400) that names the parameter and lists the choices. */
export function readChoice<Choice extends string>(
  param: string,
  text: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((known) => known === text);
  if (choice === undefined) throw invalidRequestError(param, `${param} must be one of ${choices.join(', ')}`);
  return choice;
}

interface IntegerRange {
  min: number;
  max: number;
  hint?: string;
}

/** Throws a `GatewayError` (400) that names the parameter. */
export function readInteger(param: string, text: string, range: IntegerRange): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= range.min && value <= range.max)) {
    const bounds = `from ${range.min} to ${range.max}`;
    throw invalidRequestError(param, `${param} must be a whole number ${bounds}${range.hint ?? ''}`);
  }
  return value;
}
