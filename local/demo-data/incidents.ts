/** The outage and the slow Tuesday of the demo data, and how chance ends its other requests. */
import { hourMs } from '#lambdas/platform/duration.ts';
import { lastWeekdayBefore, weekdays } from './calendar.ts';
import { type Ending, endings } from './endings.ts';
import { unreliableProvider } from './models.ts';
import { pick, type Random } from './random.ts';
import type { DemoRequest } from './request.ts';

export interface Incidents {
  /** During these times, many requests to the unreliable provider fail. */
  outage: { startMs: number; endMs: number };
  /** During these times, the unreliable provider takes longer than usual. */
  slowness: { startMs: number; endMs: number; factor: number };
}

/** In the time before the day of `untilMs`: an outage on a Thursday, and a slow Tuesday in the last week. */
export function incidentsBefore(untilMs: number): Incidents {
  const thursday = lastWeekdayBefore(lastWeekdayBefore(untilMs, weekdays.tuesday), weekdays.thursday);
  const tuesday = lastWeekdayBefore(untilMs, weekdays.tuesday);
  return {
    outage: { startMs: thursday + 12 * hourMs, endMs: thursday + 16 * hourMs },
    slowness: { startMs: tuesday + 6 * hourMs, endMs: tuesday + 20 * hourMs, factor: 4 },
  };
}

export function endingOf(
  random: Random,
  { atMs, model, stream, key }: Pick<DemoRequest, 'atMs' | 'model' | 'stream' | 'key'>,
  { outage }: Incidents,
): Ending {
  const isOut = model.provider === unreliableProvider && isDuring(atMs, outage);
  if (isOut && random() < 0.85) {
    return pick<Ending>(random, [
      [endings.unavailable, 75],
      [endings.timeout, 25],
    ]);
  }
  // A new version is tried out there.
  const failures = key === 'staging' ? 6 : 1;
  return pick<Ending>(random, [
    [endings.completed, 955],
    [endings.retried, 9],
    [endings.disconnected, stream ? 14 : 2],
    [endings.interruptedStream, stream ? 4 : 0],
    [endings.rateLimit, 5],
    [endings.serverError, 3],
    [endings.tooLong, 2 * failures],
    [endings.filtered, 2],
    [endings.unavailable, 1],
    [endings.timeout, 2],
    [endings.unknownModel, 2 * failures],
    [endings.quota, key === 'ci' ? 60 : 0],
  ]);
}

/** How many times its usual time the model takes. */
export function slownessOf(
  { atMs, model }: Pick<DemoRequest, 'atMs' | 'model'>,
  { slowness }: Incidents,
): number {
  return model.provider === unreliableProvider && isDuring(atMs, slowness) ? slowness.factor : 1;
}

function isDuring(atMs: number, { startMs, endMs }: { startMs: number; endMs: number }): boolean {
  return atMs >= startMs && atMs < endMs;
}
