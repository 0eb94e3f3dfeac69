/**
 * A run of code whose calls to DynamoDB wait until a test lets them through, one at a time and in any order, and which
 * can end between any two of them, as a function does that is killed.
 */
import { setImmediate } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * What becomes of a call: `answered` is the usual; `repeated` is applied, its answer is lost and the SDK sends it again;
 * `refused` and `unanswered` end in an error, the second one after it was applied; with `killedBefore` and
 * `killedAfter` the run ends there, the call not sent or applied.
 */
export const fates = [
  'answered',
  'repeated',
  'refused',
  'unanswered',
  'killedBefore',
  'killedAfter',
] as const;

export type Fate = (typeof fates)[number];

type Command = Parameters<DynamoDBDocumentClient['send']>[0];

interface WaitingCall {
  command: Command;
  answer(value: unknown): void;
  fail(error: unknown): void;
}

export type Outcome<Result> =
  | { kind: 'running' | 'killed' }
  | { kind: 'returned'; result: Result }
  | { kind: 'threw' };

export interface InterruptedRun<Result = unknown> {
  outcome: Outcome<Result>;
  /** Lets one of the waiting calls through. Does nothing when the run has ended. */
  step(pick: number, fate: Fate): Promise<void>;
  finish(): Promise<void>;
  kill(): void;
}

class CallError extends Error {}

/** Begins a run. Errors other than those that a fate makes are the code's own, and thrown by the step that led there. */
export async function startRun<Result>(
  client: DynamoDBDocumentClient,
  code: (client: DynamoDBDocumentClient) => Promise<Result>,
): Promise<InterruptedRun<Result>> {
  const waiting: WaitingCall[] = [];
  let fault: unknown;
  const gated = Object.create(client, {
    send: {
      value: (command: Command) =>
        new Promise((answer, fail) => {
          waiting.push({ command, answer, fail });
        }),
    },
  });
  const send = (call: WaitingCall) => client.send(call.command).then(call.answer, call.fail);

  const applyFate: Record<Fate, (call: WaitingCall) => unknown> = {
    answered: send,
    repeated: (call) => client.send(call.command).then(() => send(call), call.fail),
    refused: ({ fail }) => fail(new CallError()),
    unanswered: (call) => client.send(call.command).then(() => call.fail(new CallError()), call.fail),
    killedBefore: () => run.kill(),
    killedAfter: async ({ command }) => {
      await client.send(command).catch(() => {});
      run.kill();
    },
  };

  const run: InterruptedRun<Result> = {
    outcome: { kind: 'running' },
    async step(pick, fate) {
      const [call] = waiting.splice(pick % Math.max(waiting.length, 1), 1);
      if (call === undefined) return;
      await applyFate[fate](call);
      await settle();
    },
    async finish() {
      while (run.outcome.kind === 'running') {
        if (waiting.length === 0) throw new Error('The run waits for something other than DynamoDB');
        await run.step(0, 'answered');
      }
    },
    kill() {
      waiting.length = 0;
      run.outcome = { kind: 'killed' };
    },
  };

  const settle = async () => {
    // The code goes on with the answer until it waits for the next call.
    await setImmediate();
    if (fault !== undefined) throw fault;
  };
  code(gated).then(
    (result) => {
      if (run.outcome.kind === 'running') run.outcome = { kind: 'returned', result };
    },
    (error: unknown) => {
      if (!(error instanceof CallError)) fault = error;
      if (run.outcome.kind === 'running') run.outcome = { kind: 'threw' };
    },
  );
  await settle();
  return run;
}
