/**
 * Algorithms of rate limits on one item, whose conditions are those of a conditional write: what a process has to know for a write
 * to succeed at once, it remembers from its last one.
 */
import {
  bucketAttributes,
  expectedForms,
  formsOf,
  type KnownBuckets,
  knownAfter,
} from '#lambdas/limits/rates/item-rates.ts';
import { type BucketForm, formOf, refillUs, toMicroseconds, waitUs } from '#lambdas/limits/rates/rate.ts';
import { minuteMs } from '#lambdas/platform/duration.ts';

interface Attempt {
  isAdmitted: boolean;
  writes: number;
}

/** The state of one owner, in an item and in the processes that write it. */
export type Algorithm = (process: number, nowMs: number) => Attempt;

/** A counter for each minute, in an attribute of its own: no process needs to know anything. */
function fixedWindows(perMinute: number): Algorithm {
  const counts = new Map<number, number>();
  return (_, nowMs) => {
    const window = Math.floor(nowMs / minuteMs);
    const count = counts.get(window) ?? 0;
    if (count >= perMinute) return { isAdmitted: false, writes: 1 };
    counts.set(window, count + 1);
    return { isAdmitted: true, writes: 1 };
  };
}

/** The counts of two minutes, the earlier one in proportion. A write requires the earlier count, which the process must know. */
function slidingWindows(perMinute: number): Algorithm {
  const counts = new Map<number, number>();
  const known = new Map<number, number>();
  return (process, nowMs) => {
    const window = Math.floor(nowMs / minuteMs);
    const [earlier, count] = [counts.get(window - 1) ?? 0, counts.get(window) ?? 0];
    const writes = known.get(process) === window ? 1 : 2;
    known.set(process, window);
    const share = 1 - (nowMs % minuteMs) / minuteMs;
    if (earlier * share + count + 1 > perMinute) return { isAdmitted: false, writes: 1 };
    counts.set(window, count + 1);
    return { isAdmitted: true, writes };
  };
}

/** The gateway's: see `rate.ts` and `item-rates.ts`. */
function genericCellRate(perMinute: number): Algorithm {
  const name = 'requests_per_minute';
  const attribute = bucketAttributes[name];
  const chargeUs = refillUs(1, perMinute);
  const known = new Map<number, KnownBuckets>();
  let fullAtUs: number | null = null;
  return (process, nowMs) => {
    const nowUs = toMicroseconds(nowMs);
    const before = known.get(process);
    const write = (form: BucketForm) => {
      if (waitUs(fullAtUs, chargeUs, nowUs) > 0) return false;
      if (form === 'full' ? (fullAtUs ?? 0) > nowUs : formOf(fullAtUs, nowUs) === 'full') return false;
      fullAtUs = (form === 'full' ? nowUs : (fullAtUs ?? 0)) + chargeUs;
      return true;
    };
    const itemOf = () => (fullAtUs === null ? {} : { [attribute]: fullAtUs });
    const expected = expectedForms(before, nowMs);
    if (write(expected[name])) {
      known.set(process, knownAfter(itemOf(), expected, { before, nowMs }));
      return { isAdmitted: true, writes: 1 };
    }
    const forms = formsOf(itemOf(), nowMs);
    const isAdmitted = write(forms[name]);
    known.set(process, knownAfter(itemOf(), forms, { before, nowMs }));
    return { isAdmitted, writes: isAdmitted ? 2 : 1 };
  };
}

export const algorithms = {
  'Fixed windows': fixedWindows,
  'Sliding windows': slidingWindows,
  'Token buckets': genericCellRate,
} as const satisfies Record<string, (perMinute: number) => Algorithm>;
