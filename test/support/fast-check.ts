/**
 * fast-check, configured for all property tests. A failure names its seed and path. So does a property that exceeds the
 * time limit, which is below Vitest's: a test that Vitest aborts names neither.
 */
import fc from 'fast-check';
import { byTestForm } from './test-form.ts';

/** Below the `testTimeout` of `vitest.config.ts`. */
const timeLimitMs = byTestForm({ short: 100_000, long: 1_700_000 });

fc.configureGlobal({
  numRuns: byTestForm({ short: 100, long: 5000 }),
  interruptAfterTimeLimit: timeLimitMs,
  markInterruptAsFailure: true,
});

export { fc };
