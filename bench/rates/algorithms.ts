/**
 * Algorithms of rate limits on one item, whose conditions are those of a conditional write: what a process has to know for a write
 * to succeed at once, it remembers from its last one.
 */
import {
  type BucketForm,
  formOf,
  latestFullAtUs,
  refillUs,
  toMicroseconds,
  waitUs,
} from '#lambdas/limits/rates/rate.ts';
import { minuteMs } from '#lambdas/platform/duration.ts';

export interface Attempt {
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

/** The gateway's: see `rate.ts`. */
function genericCellRate(perMinute: number): Algorithm {
  const chargeUs = refillUs(1, perMinute);
  const known = new Map<number, BucketForm>();
  let fullAtUs: number | null = null;
  return (process, nowMs) => {
    const nowUs = toMicroseconds(nowMs);
    const form = formOf(fullAtUs, nowUs);
    const writes = (known.get(process) ?? 'full') === form ? 1 : 2;
    known.set(process, form);
    if (waitUs(fullAtUs, chargeUs, nowUs) > 0) return { isAdmitted: false, writes: 1 };
    fullAtUs =
      form === 'full' ? nowUs + chargeUs : Math.min(latestFullAtUs(0, nowUs), (fullAtUs ?? 0) + chargeUs);
    return { isAdmitted: true, writes };
  };
}

export const algorithms = {
  'Fixed windows': fixedWindows,
  'Sliding windows': slidingWindows,
  GCRA: genericCellRate,
} as const satisfies Record<string, (perMinute: number) => Algorithm>;
