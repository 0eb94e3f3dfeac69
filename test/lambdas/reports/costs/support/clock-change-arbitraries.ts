/** fast-check arbitraries for entries and queries around the days on which clocks change. */
import { fc } from '#test/support/fast-check.ts';
import { edgeCaseParametersWithin } from './edge-case-arbitraries.ts';

const hourMs = 3_600_000;

/** A local day with 23 or 25 hours: its start, the change, its end. */
interface ClockChange {
  timeZone: string;
  times: readonly number[];
}

function clockChange(timeZone: string, ...times: string[]): ClockChange {
  return { timeZone, times: times.map((text) => Date.parse(text)) };
}

/** Clocks are set back. In Havana, the day begins twice. */
export const autumnChanges: readonly ClockChange[] = [
  clockChange('Europe/Berlin', '2025-10-25T22:00:00Z', '2025-10-26T01:00:00Z', '2025-10-26T23:00:00Z'),
  clockChange('America/Havana', '2025-11-02T04:00:00Z', '2025-11-02T05:00:00Z', '2025-11-03T05:00:00Z'),
  clockChange('America/St_Johns', '2025-11-02T02:30:00Z', '2025-11-02T04:30:00Z', '2025-11-03T03:30:00Z'),
];

/** Clocks are set forward. In Havana, the day begins at 01:00. */
export const springChanges: readonly ClockChange[] = [
  clockChange('America/Havana', '2026-03-08T05:00:00Z', '2026-03-09T04:00:00Z'),
  clockChange('America/St_Johns', '2026-03-08T03:30:00Z', '2026-03-08T05:30:00Z', '2026-03-09T02:30:00Z'),
  clockChange('Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29T01:00:00Z', '2026-03-29T22:00:00Z'),
];

const offset = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -2, max: 2 }) },
  { weight: 2, arbitrary: fc.integer({ min: -90_000, max: 90_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: -2 * hourMs, max: 2 * hourMs }) },
  { weight: 1, arbitrary: fc.integer({ min: -30 * hourMs, max: 30 * hourMs }) },
);

function timeNear({ times }: ClockChange): fc.Arbitrary<number> {
  return fc.tuple(fc.constantFrom(...times), offset).map(([time, ms]) => time + ms);
}

export function timeNearChange(changes: readonly ClockChange[]): fc.Arbitrary<number> {
  return fc.constantFrom(...changes).chain(timeNear);
}

/** Most queries use the time zone of the change. */
export function parametersNearChange(changes: readonly ClockChange[], presentMs: number) {
  return fc.constantFrom(...changes).chain((change) =>
    edgeCaseParametersWithin({
      bounds: fc.tuple(timeNear(change), timeNear(change)),
      timeZones: [change.timeZone, change.timeZone, change.timeZone, 'Asia/Kolkata', 'Pacific/Chatham'],
      presentMs,
    }),
  );
}
