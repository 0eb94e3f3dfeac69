/**
 * Property tests, fuzzers and faults have two forms: the short one of `npm test`, and the long one of
 * `npm run test:long`, which sets `TEST_FORM`. Nothing else reads that variable.
 */

export type Form = 'short' | 'long';

export const testForm: Form = process.env.TEST_FORM === 'long' ? 'long' : 'short';

/** The value for the form that is running. */
export function inThisForm<Value>(values: Readonly<Record<Form, Value>>): Value {
  return values[testForm];
}
