/**
 * Property tests, fuzzing and fault injection have two forms: the short one of `npm test`, and the long one of
 * `npm run test:long`, which sets `TEST_FORM`. Only this file reads that variable.
 */

export type TestForm = 'short' | 'long';

export const testForm: TestForm = process.env.TEST_FORM === 'long' ? 'long' : 'short';

export function byTestForm<Value>(values: Readonly<Record<TestForm, Value>>): Value {
  return values[testForm];
}
