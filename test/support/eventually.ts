import { vi } from 'vitest';

/**
 * Polls until `assertion` no longer throws, and resolves to its result. The timeout allows for a busy machine. A long
 * interval keeps an expensive assertion from slowing down what it waits for.
 */
export function eventually<Result>(
  assertion: () => Result | Promise<Result>,
  { intervalMs = 150 } = {},
): Promise<Result> {
  return vi.waitFor(assertion, { timeout: 60_000, interval: intervalMs });
}
