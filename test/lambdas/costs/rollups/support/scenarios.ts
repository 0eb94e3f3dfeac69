/** Generates random scenarios for the simulation of the rollup function. */
import { operations } from '#lambdas/request-log/operation.ts';
import { fc } from '#test/support/fast-check.ts';
import { type CallOutcome, callOutcomes } from './interruptible-run.ts';
import type { Price, Request } from './rollup-fixture.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

export type Event =
  | { kind: 'write'; request: Request }
  | { kind: 'reprice'; pick: number; price: Price }
  | { kind: 'writeMalformed'; pick: number }
  | {
      kind: 'deliver';
      pick: number;
      size: number;
      steps: { pick: number; outcome: CallOutcome }[];
      isBisected: boolean;
    }
  | { kind: 'step'; pick: number; steps: { pick: number; outcome: CallOutcome }[]; isBisected: boolean }
  | { kind: 'timeOut'; pick: number; isBisected: boolean }
  | { kind: 'split'; pick: number }
  | { kind: 'rewind' }
  | { kind: 'deploy' }
  | { kind: 'replay'; pick: number; size: number; steps: { pick: number; outcome: CallOutcome }[] }
  | { kind: 'wait'; ms: number }
  | {
      kind: 'rebuild';
      pick: number;
      waitsForCutover: boolean;
      stages: { pick: number; outcome: CallOutcome }[][];
    };

export interface Scenario {
  startMs: number;
  events: Event[];
  /** When true, rebuilds end while the stream still has records from before the cutover. */
  hasEarlyCutover: boolean;
  /** The delay after which the whole stream is redelivered at the end; `null` for no redelivery. */
  redeliverAfterMs: number | null;
  /** The endings of the runs that are in progress after the events. */
  runEndings: ('finish' | 'kill' | 'linger')[];
}

const pick = fc.nat(40);
const cost = fc.constantFrom('0', '0.000000000001', '0.1', '1234567.000000000009', '3', '0.00472');
const price = fc.record<Price>({ cost_usd: cost, pricing: fc.constantFrom('table', 'unknown', 'assumed') });
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
  location: fc.nat(3),
  model: fc.nat(1),
  operation: fc.constantFrom(...operations),
  serviceTier: fc.constantFrom(null, 'default', 'a/b', '1:#/', 'embeddings/'),
  minutesBack: fc.constantFrom(0, 0, 0, 1, 17),
  headers,
  refusal: fc.constantFrom(null, null, null, { refused_requests: null }, { refused_requests: 50 }),
  routed: fc.constantFrom(
    ...[null, null, null],
    { route: 'fast', superseded_by: null },
    { route: 'fast', superseded_by: '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01' },
    {
      route: '1:#/',
      superseded_by: '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01',
      error_code: 'rate_limit_exceeded',
    },
  ),
  price,
  needsSecondVersion: fc.constantFrom(false, false, false, true),
});

const outcome = fc.oneof(
  { weight: 12, arbitrary: fc.constant<CallOutcome>('succeeded') },
  { weight: 8, arbitrary: fc.constantFrom(...callOutcomes) },
);
const steps = fc.array(fc.record({ pick, outcome }), { maxLength: 8 });
const isBisected = fc.boolean();
const waitsMs = [
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
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reprice'), pick, price }) },
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
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('writeMalformed'), pick }) },
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
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait'), ms: fc.constantFrom(...waitsMs) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rebuild'),
      pick: fc.nat(2),
      waitsForCutover: fc.constantFrom(true, true, false),
      stages: fc.array(steps, { minLength: 2, maxLength: 7 }),
    }),
  },
);

/** Most rows are updated again after a wait; at the end of a month, some are not. */
const startTimes = [
  Date.UTC(2026, 0, 10, 22, 58),
  Date.UTC(2026, 0, 14, 3, 58),
  Date.UTC(2026, 0, 31, 19, 58),
];

export const scenario = fc.record<Scenario>({
  startMs: fc.constantFrom(...startTimes),
  events: fc
    .tuple(
      fc.array(fc.record({ kind: fc.constant('write' as const), request }), { minLength: 1, maxLength: 3 }),
      fc.array(event, { minLength: 6, maxLength: 14 }),
    )
    .map(([first, rest]) => [...first, ...rest]),
  hasEarlyCutover: fc.boolean(),
  redeliverAfterMs: fc.option(fc.constantFrom(0, 13 * hourMs, 20 * hourMs), { freq: 2 }),
  runEndings: fc.array(fc.constantFrom('finish', 'kill', 'linger'), { minLength: 1, maxLength: 4 }),
});
