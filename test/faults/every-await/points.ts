/** At which of a function's continuations it is killed: at each, or at some of them spread over all. */
import type { Form } from '#test/support/test-form.ts';

const fewPoints = 10;

export function killingPoints(continuations: number, form: Form): number[] {
  if (form === 'long') return Array.from({ length: continuations }, (_, index) => index + 1);
  const distance = continuations / fewPoints;
  return Array.from({ length: fewPoints }, (_, index) => Math.ceil((index + 0.5) * distance));
}
