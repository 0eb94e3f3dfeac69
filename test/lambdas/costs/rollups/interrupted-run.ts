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
  const faults: unknown[] = [];
  const run: InterruptedRun<Result> = {
    outcome: { kind: 'running' },
    async step(pick, fate) {
      const [call] = waiting.splice(pick % Math.max(waiting.length, 1), 1);
      if (call === undefined) return;
      await applyFate(fate, { client, call, kill: run.kill });
      await goOn(faults);
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
  const end = (outcome: Outcome<Result>) => {
    if (run.outcome.kind === 'running') run.outcome = outcome;
  };
  code(withWaitingCalls(client, waiting)).then(
    (result) => end({ kind: 'returned', result }),
    (error: unknown) => {
      if (!(error instanceof CallError)) faults.push(error);
      end({ kind: 'threw' });
    },
  );
  await goOn(faults);
  return run;
}

/** The code goes on with what it was answered until it waits for the next call. */
async function goOn(faults: unknown[]) {
  await setImmediate();
  if (faults.length > 0) throw faults[0];
}

function withWaitingCalls(client: DynamoDBDocumentClient, waiting: WaitingCall[]): DynamoDBDocumentClient {
  const send = (command: Command) =>
    new Promise((answer, fail) => {
      waiting.push({ command, answer, fail });
    });
  return Object.create(client, { send: { value: send } });
}

async function applyFate(
  fate: Fate,
  { client, call, kill }: { client: DynamoDBDocumentClient; call: WaitingCall; kill(): void },
): Promise<void> {
  const { command, answer, fail } = call;
  switch (fate) {
    case 'answered':
      return client.send(command).then(answer, fail);
    case 'repeated':
      return client.send(command).then(() => client.send(command).then(answer, fail), fail);
    case 'refused':
      return fail(new CallError());
    case 'unanswered':
      return client.send(command).then(() => fail(new CallError()), fail);
    case 'killedBefore':
      return kill();
    case 'killedAfter':
      await client.send(command).catch(() => {});
      return kill();
    default:
      fate satisfies never;
  }
}
