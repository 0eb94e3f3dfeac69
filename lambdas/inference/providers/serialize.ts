import { unusableResponseError } from '#lambdas/platform/errors.ts';
import { isNestedDeeperThan } from '#lambdas/platform/json/json.ts';

/** Far less than the call stack allows. Callers' requests have already passed a lower limit. */
const maxNesting = 500;

/**
 * Converts a provider's value to JSON. Throws a `GatewayError` if it is nested too deeply: unlike parsing, serializing is
 * recursive.
 */
export function serialize(value: unknown): string {
  try {
    const text = JSON.stringify(value);
    const mayBeTooDeep = text.length > 2 * maxNesting;
    if (!mayBeTooDeep || !isNestedDeeperThan(maxNesting, value)) return text;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw unusableResponseError('The provider sent JSON that is nested too deeply');
}
