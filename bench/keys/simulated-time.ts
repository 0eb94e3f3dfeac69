/**
 * Calls the embedded engine, and computes how long DynamoDB would take.
 *
 * Each response is held back until a simulated clock reaches the end of the call. The clock moves to the next end when nothing
 * else can happen: so calls at the same time take as long as the longest of them, calls that need each other's results take
 * the sum, and waits of the code itself take no real time.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  type CallInput,
  type CallOutput,
  itemsOf,
  type PartitionUse,
  partitionsOf,
  unitsOf,
} from './calls.ts';
import { type CallUnits, callMs, partitionThroughput, tableThroughput } from './dynamodb-times.ts';

export interface Usage {
  calls: number;
  /** The calls of the longest sequence, each of which needed the one before. */
  rounds: number;
  items: number;
  receivedBytes: number;
  readUnits: number;
  writeUnits: number;
  /** From the start to the end on the simulated clock, with the waits of the code itself. */
  simulatedMs: number;
  /** Processor time of this process, which excludes the engine. */
  cpuMs: number;
  /** On the embedded engine, whose calls are as concurrent as the code makes them. */
  measuredMs: number;
}

interface Run<Result> {
  result: Result;
  usage: Usage;
}

export interface SimulatedTime {
  /** The simulated clock, which begins at 0. */
  readonly nowMs: number;
  wait(milliseconds: number): Promise<void>;
  /** Calls outside of a run take no simulated time. */
  run<Result>(work: () => Promise<Result>): Promise<Run<Result>>;
}

interface HeldEvent {
  atMs: number;
  /** The number of calls of the longest sequence that led to it. */
  round: number;
  release(): void;
}

const unused: Usage = {
  calls: 0,
  rounds: 0,
  items: 0,
  receivedBytes: 0,
  readUnits: 0,
  writeUnits: 0,
  simulatedMs: 0,
  cpuMs: 0,
  measuredMs: 0,
};

export function simulateTime(client: DynamoDBClient): SimulatedTime {
  let nowMs = 0;
  let round = 0;
  let usage: Usage | null = null;
  let held: HeldEvent[] = [];
  let throughput = createThroughput();
  let inProgress = 0;
  let onceIdle = () => {};

  const hold = (atMs: number, heldRound: number) =>
    new Promise<void>((release) => held.push({ atMs, round: heldRound, release }));

  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (usage === null) return next(args);
        const [startedAtMs, ownRound] = [nowMs, round + 1];
        const current = usage;
        inProgress++;
        let output: CallOutput = {};
        try {
          const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
          output = result.output as CallOutput;
          current.receivedBytes += bytesOf(result.response);
          return result;
        } finally {
          inProgress--;
          if (inProgress === 0) onceIdle();
          const input = args.input as CallInput;
          const units = unitsOf(commandName, input, output);
          current.calls++;
          current.rounds = Math.max(current.rounds, ownRound);
          current.items += itemsOf(input, output);
          current[units.kind === 'reads' ? 'readUnits' : 'writeUnits'] += units.units;
          const delayMs = throughput.use(startedAtMs, partitionsOf(input), units);
          await hold(startedAtMs + delayMs + callMs(units), ownRound);
        }
      },
    { step: 'initialize', priority: 'high' },
  );

  /** Resolves when the code waits for held events alone. */
  const idle = async () => {
    await turn();
    while (inProgress > 0) {
      await new Promise<void>((resolve) => {
        onceIdle = resolve;
      });
      await turn();
    }
  };

  const releaseNext = () => {
    const next = held.reduce<HeldEvent | undefined>(
      (first, event) => (first === undefined || event.atMs < first.atMs ? event : first),
      undefined,
    );
    if (next === undefined) return;
    held = held.filter((event) => event !== next);
    nowMs = Math.max(nowMs, next.atMs);
    round = next.round;
    next.release();
  };

  return {
    get nowMs() {
      return nowMs;
    },
    wait: (milliseconds) => hold(nowMs + milliseconds, round),
    async run(work) {
      const current = { ...unused };
      [usage, held, round, throughput] = [current, [], 0, createThroughput()];
      const [startedAtMs, startedAt, cpu] = [nowMs, performance.now(), process.cpuUsage()];
      let isDone = false;
      const done = work().finally(() => {
        isDone = true;
      });
      done.catch(() => {});
      for (await idle(); !isDone; await idle()) releaseNext();
      usage = null;
      const { user, system } = process.cpuUsage(cpu);
      current.simulatedMs = nowMs - startedAtMs;
      current.cpuMs = (user + system) / 1000;
      current.measuredMs = performance.now() - startedAt;
      return { result: await done, usage: current };
    },
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function bytesOf(response: unknown): number {
  const { headers = {} } = response as { headers?: Record<string, string> };
  return Number(headers['content-length'] ?? 0);
}

interface ThroughputLimits {
  /** Returns for how long the call is delayed, whose units are divided evenly among its items. */
  use(atMs: number, uses: readonly PartitionUse[], units: CallUnits): number;
}

/** Calls beyond the throughput wait. Each partition key and each table has the unused units of one second in reserve. */
function createThroughput(): ThroughputLimits {
  const reserves = new Map<string, { units: number; atMs: number }>();
  const take = (name: string, perSecond: number, units: number, atMs: number): number => {
    const before = reserves.get(name) ?? { units: perSecond, atMs };
    const refilled = Math.min(perSecond, before.units + ((atMs - before.atMs) * perSecond) / 1000);
    reserves.set(name, { units: refilled - units, atMs });
    return refilled < 0 ? (-refilled / perSecond) * 1000 : 0;
  };
  return {
    use(atMs, uses, { kind, units: allUnits }) {
      const each = allUnits / uses.length;
      const byName = new Map<string, { units: number; perSecond: number }>();
      for (const { table, partition } of uses) {
        for (const [name, limits] of [
          [`${kind} ${table}`, tableThroughput],
          [`${kind} ${table} ${partition}`, partitionThroughput],
        ] as const) {
          const units = (byName.get(name)?.units ?? 0) + each;
          byName.set(name, { units, perSecond: limits[kind] });
        }
      }
      const delays = [...byName].map(([name, { units, perSecond }]) => take(name, perSecond, units, atMs));
      return Math.max(...delays);
    },
  };
}
