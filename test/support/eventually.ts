import { vi } from 'vitest';

/** Resolves to what `look` returns once it no longer throws. Ends later than any machine is slow. */
export function eventually<Result>(look: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(look, { timeout: 60_000, interval: 50 });
}
