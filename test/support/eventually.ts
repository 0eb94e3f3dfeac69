import { vi } from 'vitest';

/** Polls until `assertion` no longer throws, and resolves to its result. The timeout allows for a busy machine. */
export function eventually<Result>(assertion: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(assertion, { timeout: 60_000, interval: 50 });
}
