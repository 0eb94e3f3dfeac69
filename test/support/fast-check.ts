/**
 * fast-check as every property test uses it. A failure names its seed and its path, with what failed as its cause. A
 * property that takes too long fails in the same way, before Vitest would end it without naming them.
 */
import fc from 'fast-check';
import { inThisForm } from './test-form.ts';

/** Below the `testTimeout` of `vitest.config.ts`. */
const timeLimitMs = inThisForm({ short: 100_000, long: 1_700_000 });

fc.configureGlobal({
  numRuns: inThisForm({ short: 100, long: 5000 }),
  interruptAfterTimeLimit: timeLimitMs,
  markInterruptAsFailure: true,
});

export { fc };
