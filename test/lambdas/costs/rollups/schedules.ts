/** What may happen around the rollup function, at random. */
import { fc } from '#test/support/fast-check.ts';
import { type Fate, fates } from './interrupted-run.ts';
import type { Price, Request } from './rollup-world.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

export type Event =
  | { kind: 'write'; request: Request }
  | { kind: 'rewrite'; pick: number; price: Price }
  | { kind: 'writeForeign'; pick: number }
  | {
      kind: 'deliver';
      pick: number;
      size: number;
      steps: { pick: number; fate: Fate }[];
      isBisected: boolean;
    }
  | { kind: 'step'; pick: number; steps: { pick: number; fate: Fate }[]; isBisected: boolean }
  | { kind: 'timeOut'; pick: number; isBisected: boolean }
  | { kind: 'split'; pick: number }
  | { kind: 'rewind' }
  | { kind: 'deploy' }
  | { kind: 'replay'; pick: number; size: number; steps: { pick: number; fate: Fate }[] }
  | { kind: 'wait'; ms: number }
  | { kind: 'rebuild'; pick: number; isPatient: boolean; stages: { pick: number; fate: Fate }[][] };

export interface Schedule {
  beginMs: number;
  events: Event[];
  /** Whether rebuilds end while the stream still has records of the time before them. */
  isEarlySwitch: boolean;
  /** Whether all comes again at the end, after so long. */
  encore: number | null;
  /** What becomes of the runs that are still under way in the end. */
  ends: ('finish' | 'kill' | 'linger')[];
}

const pick = fc.nat(40);
const cost = fc.constantFrom('0', '0.000000000001', '0.1', '1234567.000000000009', '3', '0.00472');
const price = fc.record<Price>({ cost_usd: cost, pricing: fc.constantFrom('table', 'unknown') });
const headers = fc.oneof<fc.MaybeWeightedArbitrary<Request['headers']>[]>(
  { weight: 4, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.record({
      prompt_id: fc.constantFrom(null, 'p'),
      session_id: fc.constantFrom(null, 's', 's#1'),
      user_id: fc.constantFrom(null, 'u'),
    }),
  },
);

const request = fc.record<Request>({
  place: fc.nat(3),
  model: fc.nat(1),
  minutesBack: fc.constantFrom(0, 0, 0, 1, 17),
  headers,
  price,
  isOdd: fc.constantFrom(false, false, false, true),
});

const fate = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Fate>('answered') },
  { weight: 8, arbitrary: fc.constantFrom(...fates) },
);
const steps = fc.array(fc.record({ pick, fate }), { maxLength: 8 });
const isBisected = fc.boolean();
const waits = [
  3000,
  6000,
  61_000,
  20 * minuteMs,
  hourMs,
  9 * hourMs,
  14 * hourMs,
  21 * hourMs,
  27 * hourMs,
  49 * hourMs,
];

const event = fc.oneof<fc.MaybeWeightedArbitrary<Event>[]>(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('write'), request }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rewrite'), pick, price }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('deliver'),
      pick,
      size: fc.integer({ min: 1, max: 4 }),
      steps,
      isBisected,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('step'), pick, steps, isBisected }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('timeOut'), pick, isBisected }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('writeForeign'), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('split'), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rewind') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deploy') }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('replay'),
      pick,
      size: fc.integer({ min: 0, max: 3 }),
      steps,
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait'), ms: fc.constantFrom(...waits) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rebuild'),
      pick: fc.nat(2),
      isPatient: fc.constantFrom(true, true, false),
      stages: fc.array(steps, { minLength: 2, maxLength: 7 }),
    }),
  },
);

/** Most rows have to outlive a wait; others are left behind by a new month. */
const begins = [Date.UTC(2026, 0, 10, 22, 58), Date.UTC(2026, 0, 14, 3, 58), Date.UTC(2026, 0, 31, 19, 58)];

export const schedule = fc.record<Schedule>({
  beginMs: fc.constantFrom(...begins),
  events: fc
    .tuple(
      fc.array(fc.record({ kind: fc.constant('write' as const), request }), { minLength: 1, maxLength: 3 }),
      fc.array(event, { minLength: 6, maxLength: 14 }),
    )
    .map(([first, rest]) => [...first, ...rest]),
  isEarlySwitch: fc.boolean(),
  encore: fc.option(fc.constantFrom(0, 13 * hourMs, 20 * hourMs), { freq: 2 }),
  ends: fc.array(fc.constantFrom('finish', 'kill', 'linger'), { minLength: 1, maxLength: 4 }),
});
