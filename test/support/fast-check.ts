/**
 * fast-check, configured for all property tests. A failure names its seed and path. So does a property that exceeds the
 * time limit, which is below Vitest's: a test that Vitest aborts names neither.
 */
import fc from 'fast-check';
import { byTestForm } from './test-form.ts';

/** Below the `testTimeout` of `vitest.config.ts`. */
const timeLimitMs = byTestForm({ short: 100_000, long: 3_500_000 });

fc.configureGlobal({
  numRuns: byTestForm({ short: 100, long: 5000 }),
  interruptAfterTimeLimit: timeLimitMs,
  markInterruptAsFailure: true,
});

const surrogates = { first: 0xd800, count: 0x800 };

/** Any character of Unicode. The first `unit: 'binary'` of a process lists them all, which takes more than a second. */
export const character = fc
  .nat(0x10ffff - surrogates.count)
  .map((index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count));

export { fc };
