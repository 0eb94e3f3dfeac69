/** Computes the bounds of rate limits from a list of admitted requests: without a bucket's time or its form. */

export interface Admitted {
  /** In microseconds. */
  atUs: number;
  /** Requests, or tokens. */
  count: number;
}

const minuteUs = 60_000_000;

/**
 * The amount that is missing in a bucket that holds a minute's worth and refills continuously. `admitted` is in the order of time, which is
 * that of one clock.
 */
export function levelAt(admitted: readonly Admitted[], limit: number, nowUs: number): number {
  let [level, atUs] = [0, 0];
  for (const event of [...admitted, { atUs: nowUs, count: 0 }]) {
    level = Math.max(0, level - ((event.atUs - atUs) * limit) / minuteUs) + event.count;
    atUs = event.atUs;
  }
  return level;
}

/**
 * The largest ratio, over all windows of time, of what was admitted to what may be: limit × (1 + (t + tolerance) / 60 s). At most
 * 1 if the limit is held. `admitted` is in any order.
 */
export function busiestWindow(admitted: readonly Admitted[], limit: number, toleranceUs = 0): number {
  const ordered = [...admitted].sort((one, other) => one.atUs - other.atUs);
  let largest = 0;
  for (const [index, first] of ordered.entries()) {
    let count = 0;
    for (const last of ordered.slice(index)) {
      count += last.count;
      const allowed = limit * (1 + (last.atUs - first.atUs + toleranceUs) / minuteUs);
      largest = Math.max(largest, count / allowed);
    }
  }
  return largest;
}
