/** Selects the continuations at which a function is killed: all of them, or ten that are evenly distributed. */
import type { TestForm } from '#test/support/test-form.ts';

const shortFormPoints = 10;

export function selectKillPoints(continuations: number, form: TestForm): number[] {
  if (form === 'long') return Array.from({ length: continuations }, (_, index) => index + 1);
  const distance = continuations / shortFormPoints;
  return Array.from({ length: shortFormPoints }, (_, index) => Math.ceil((index + 0.5) * distance));
}
