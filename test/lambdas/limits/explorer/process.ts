/**
 * Programs whose progress a scheduler decides. Nothing but the results of its operations, and the times at which it got them,
 * determines what a program does. So a point in it is reached again by running it with the same results, without the table.
 */

import type { Reservation } from '#lambdas/limits/admission.ts';

/** A step of a program that has to wait. */
export type Operation =
  | TableCall
  | { kind: 'choice'; options: readonly string[]; reservation?: Reservation | null }
  /** The log entry of a request. */
  | { kind: 'entry' };

export interface TableCall {
  kind: 'call';
  name: string;
  keys: readonly string[];
  /** True if the client repeats the call after a lost response, although it may have an effect each time. */
  isRepeated: boolean;
  execute(): Promise<unknown>;
}

export type Outcome = { value: unknown } | { error: Error };

export interface Port {
  now(): Date;
  wait(operation: Operation): Promise<unknown>;
}

export type Program<Result> = (port: Port) => Promise<Result>;

/** Equal points are the same object. */
export interface Point<Result> {
  /** Unique among all points of all programs. */
  id: number;
  /** The operations in progress, in the order in which they were started. */
  pending: readonly PendingOperation[];
  /** `null` until the program has ended. */
  ended: { result: Result } | { error: unknown } | null;
  /** The point at which the program waits again. */
  resume(operation: PendingOperation, outcome: Outcome, nowMs: number): Promise<Point<Result>>;
}

export interface PendingOperation {
  place: number;
  operation: Operation;
}

interface Resumption {
  place: number;
  outcome: Outcome;
  nowMs: number;
}

interface Execution<Result> {
  pending: PendingOperation[];
  ended: Point<Result>['ended'];
  resume(resumption: Resumption): Promise<void>;
}

let points = 0;

export function startOf<Result>(program: Program<Result>): Promise<Point<Result>> {
  return pointAt(program, [], null);
}

async function pointAt<Result>(
  program: Program<Result>,
  history: readonly Resumption[],
  before: Execution<Result> | null,
): Promise<Point<Result>> {
  const execution = await executionAt(program, history, before);
  // The first continuation goes on with it; the program runs again for others.
  let unused: Execution<Result> | null = execution;
  const next = new Map<string, Promise<Point<Result>>>();
  return {
    id: ++points,
    pending: [...execution.pending],
    ended: execution.ended,
    resume({ place }, outcome, nowMs) {
      const name = `${place} ${nowMs} ${outcomeText(outcome)}`;
      const known = next.get(name);
      if (known !== undefined) return known;
      const point = pointAt(program, [...history, { place, outcome, nowMs }], unused);
      unused = null;
      next.set(name, point);
      return point;
    },
  };
}

function outcomeText(outcome: Outcome): string {
  if ('value' in outcome) return JSON.stringify(outcome.value) ?? '';
  const { message, ...fields } = outcome.error;
  return `${message} ${JSON.stringify(fields)}`;
}

/** `before` is an execution that has come to the last resumption. */
async function executionAt<Result>(
  program: Program<Result>,
  history: readonly Resumption[],
  before: Execution<Result> | null,
): Promise<Execution<Result>> {
  const last = history.at(-1);
  if (before !== null && last !== undefined) {
    await before.resume(last);
    return before;
  }
  const execution = await execute(program);
  for (const resumption of history) await execution.resume(resumption);
  return execution;
}

async function execute<Result>(program: Program<Result>): Promise<Execution<Result>> {
  let clockMs = 0;
  let started = 0;
  const waiting = new Map<number, (outcome: Outcome) => void>();
  const execution: Execution<Result> = {
    pending: [],
    ended: null,
    async resume({ place, outcome, nowMs }) {
      clockMs = nowMs;
      execution.pending = execution.pending.filter((one) => one.place !== place);
      waiting.get(place)?.(outcome);
      await untilItWaits();
    },
  };
  const port: Port = {
    now: () => new Date(clockMs),
    wait: (operation) =>
      new Promise((resolve, reject) => {
        const place = ++started;
        execution.pending.push({ place, operation });
        waiting.set(place, (outcome) =>
          'value' in outcome ? resolve(outcome.value) : reject(outcome.error),
        );
      }),
  };
  program(port).then(
    (result) => {
      execution.ended = { result };
    },
    (error: unknown) => {
      execution.ended = { error };
    },
  );
  await untilItWaits();
  return execution;
}

/** A program waits for nothing but its operations: it goes on in microtasks. */
function untilItWaits(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
