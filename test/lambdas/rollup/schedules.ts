/** What may happen around the rollup function, at random, and how it is played. */
import fc from 'fast-check';
import { type Fate, fates } from './interrupted-run.ts';
import {
  at,
  type Price,
  type Request,
  rewrite,
  split,
  type World,
  write,
  writeForeign,
} from './rollup-world.ts';
import { completeRebuild, goOnWithRebuild } from './simulated-rebuild.ts';
import { deliver, isConsumed, rewind, settle, step, streamRetentionMs, timeOut } from './stream-shard.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

type Event =
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
  | { kind: 'wait'; ms: number }
  | { kind: 'rebuild'; pick: number; isPatient: boolean; stages: { pick: number; fate: Fate }[][] };

export interface Schedule {
  beginMs: number;
  events: Event[];
  /** Whether all comes again at the end, after so long. */
  encore: number | null;
  /** What becomes of the runs that are still under way in the end. */
  ends: ('finish' | 'kill' | 'linger')[];
}

const pick = fc.nat(40);
const cost = fc.constantFrom('0', '0.000000000001', '0.1', '1234567.000000000009', '3', '0.00472');
const price = fc.record<Price>({ cost_usd: cost, pricing: fc.constantFrom('table', 'unknown') });
const rare = (...values: string[]) => fc.option(fc.constantFrom(...values), { freq: 1, nil: null });

const request = fc.record<Request>({
  place: fc.nat(3),
  model: fc.nat(1),
  minutesBack: fc.constantFrom(0, 0, 0, 1, 17),
  headers: fc.record({ session_id: rare('s', 's#1'), user_id: rare('u') }, { requiredKeys: [] }),
  price,
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
  { weight: 7, arbitrary: fc.record({ kind: fc.constant('write'), request }) },
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
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait'), ms: fc.constantFrom(...waits) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('rebuild'),
      pick: fc.nat(2),
      isPatient: fc.boolean(),
      stages: fc.array(steps, { minLength: 1, maxLength: 6 }),
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
      fc.array(event, { minLength: 6, maxLength: 16 }),
    )
    .map(([first, rest]) => [...first, ...rest]),
  encore: fc.option(fc.constantFrom(0, 13 * hourMs, 20 * hourMs), { freq: 2 }),
  ends: fc.array(fc.constantFrom('finish', 'kill', 'linger'), { minLength: 1, maxLength: 4 }),
});

/** Plays the schedule, and then whatever it takes until every record has been dealt with and no rebuild is left. */
export async function play(world: World, { events, encore, ends }: Schedule): Promise<void> {
  for (const event of events) await playEvent(world, event);
  await endRuns(world, ends);
  await settleDown(world);
  if (encore !== null) {
    await wait(world, encore);
    for (const shard of world.shards) rewind(shard, world.nowMs);
    await settleDown(world);
  }
  await endRuns(world, ['finish']);
  for (const organization of world.organizations) await completeRebuild(world, organization);
}

async function playEvent(world: World, event: Event): Promise<void> {
  switch (event.kind) {
    case 'write':
      return write(world, event.request);
    case 'rewrite':
      return rewrite(world, event.pick, event.price);
    case 'writeForeign':
      return writeForeign(world, event.pick % 2);
    case 'deliver':
      return playSteps(world, event);
    case 'step':
      return playSteps(world, { ...event, size: 0 });
    case 'timeOut':
      return timeOut(at(world.shards, event.pick), event.isBisected);
    case 'split':
      return split(world, event.pick % 2);
    case 'rewind':
      return world.shards.forEach((shard) => {
        rewind(shard, world.nowMs);
      });
    case 'wait':
      return wait(world, event.ms);
    case 'rebuild':
      return playRebuild(world, event);
    default:
      event satisfies never;
  }
}

async function playRebuild(world: World, { pick, isPatient, stages }: Event & { kind: 'rebuild' }) {
  const organization = at(world.organizations, pick);
  const fromMs = organization.rebuild?.fromMs ?? 0;
  if (isPatient) world.nowMs = Math.max(world.nowMs, fromMs);
  for (const steps of stages) {
    await goOnWithRebuild(world, organization);
    for (const { pick, fate } of steps) await organization.rebuild?.run?.step(pick, fate);
    if (isPatient) await organization.rebuild?.run?.finish();
  }
}

interface Steps {
  pick: number;
  size: number;
  steps: { pick: number; fate: Fate }[];
  isBisected: boolean;
}

async function playSteps(world: World, { pick, size, steps, isBisected }: Steps) {
  const shard = at(world.shards, pick);
  await deliver(world, shard, size);
  for (const one of steps) await step(shard, one);
  settle(shard, isBisected);
}

/** Time passes. Nothing runs for longer than some minutes, and nothing stays in the stream for longer than a day. */
async function wait(world: World, ms: number) {
  if (ms > 5 * minuteMs) {
    await endRuns(world, ['finish', 'kill']);
    const isLate = world.shards.some((shard) =>
      shard.records
        .slice(shard.position)
        .some(({ writtenAtMs }) => world.nowMs + ms - writtenAtMs > streamRetentionMs - hourMs),
    );
    if (isLate) await settleDown(world);
  }
  world.nowMs += ms;
}

async function endRuns(world: World, ends: Schedule['ends']) {
  const runs = [
    ...world.shards.flatMap(({ invocation, zombies }) => [...(invocation ? [invocation] : []), ...zombies]),
    ...world.organizations.flatMap(({ rebuild }) => rebuild?.run ?? []),
  ];
  for (const [index, run] of runs.entries()) {
    const end = at(ends, index);
    if (end === 'finish') await run.finish();
    if (end === 'kill') run.kill();
  }
  for (const shard of world.shards) {
    settle(shard, true);
    // What lingers is waited for no longer.
    timeOut(shard, false);
  }
}

/** Everything is brought and counted, without further mishaps; what lingers does so. */
async function settleDown(world: World) {
  while (!world.shards.every(isConsumed)) {
    for (const shard of world.shards) {
      await deliver(world, shard, 3);
      await shard.invocation?.finish();
      // What the function cannot read is left out after an hour.
      if (settle(shard, false) !== null) world.nowMs += 61 * minuteMs;
    }
  }
}
