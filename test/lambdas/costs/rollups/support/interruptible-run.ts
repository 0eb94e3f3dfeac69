/**
 * Runs code whose DynamoDB calls wait until the test completes them, one at a time and in any order. The run can be killed
 * between any two calls, like a Lambda invocation.
 */
import { setImmediate } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * The outcome of a call: `retried` is applied, its response is lost and the SDK sends it again; `failed` and `responseLost`
 * end in an error, the latter after the call was applied; `killedBefore` and `killedAfter` kill the run before the call is
 * sent or after it was applied.
 */
export const callOutcomes = [
  'succeeded',
  'retried',
  'failed',
  'responseLost',
  'killedBefore',
  'killedAfter',
] as const;

export type CallOutcome = (typeof callOutcomes)[number];

type Command = Parameters<DynamoDBDocumentClient['send']>[0];

interface PendingCall {
  command: Command;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export type RunStatus<Result> =
  | { kind: 'running' | 'killed' }
  | { kind: 'returned'; result: Result }
  | { kind: 'threw' };

export interface InterruptibleRun<Result = unknown> {
  status: RunStatus<Result>;
  /** Completes one of the pending calls. Does nothing when the run has ended. */
  step(pick: number, outcome: CallOutcome): Promise<void>;
  finish(): Promise<void>;
  kill(): void;
}

class SimulatedCallError extends Error {}

/** Starts a run. Errors that are not simulated come from the code, and are thrown by the step that caused them. */
export async function startRun<Result>(
  client: DynamoDBDocumentClient,
  code: (client: DynamoDBDocumentClient) => Promise<Result>,
): Promise<InterruptibleRun<Result>> {
  const pending: PendingCall[] = [];
  const unexpectedErrors: unknown[] = [];
  const run: InterruptibleRun<Result> = {
    status: { kind: 'running' },
    async step(pick, outcome) {
      const [call] = pending.splice(pick % Math.max(pending.length, 1), 1);
      if (call === undefined) return;
      await completeCall(outcome, { client, call, kill: run.kill });
      await resume(unexpectedErrors);
    },
    async finish() {
      while (run.status.kind === 'running') {
        if (pending.length === 0) throw new Error('The run waits for something other than DynamoDB');
        await run.step(0, 'succeeded');
      }
    },
    kill() {
      pending.length = 0;
      run.status = { kind: 'killed' };
    },
  };
  const end = (status: RunStatus<Result>) => {
    if (run.status.kind === 'running') run.status = status;
  };
  code(withPendingCalls(client, pending)).then(
    (result) => end({ kind: 'returned', result }),
    (error: unknown) => {
      if (!(error instanceof SimulatedCallError)) unexpectedErrors.push(error);
      end({ kind: 'threw' });
    },
  );
  await resume(unexpectedErrors);
  return run;
}

/** Lets the code continue until it waits for the next call. */
async function resume(unexpectedErrors: unknown[]) {
  await setImmediate();
  if (unexpectedErrors.length > 0) throw unexpectedErrors[0];
}

function withPendingCalls(client: DynamoDBDocumentClient, pending: PendingCall[]): DynamoDBDocumentClient {
  const send = (command: Command) =>
    new Promise((resolve, reject) => {
      pending.push({ command, resolve, reject });
    });
  return Object.create(client, { send: { value: send } });
}

async function completeCall(
  outcome: CallOutcome,
  { client, call, kill }: { client: DynamoDBDocumentClient; call: PendingCall; kill(): void },
): Promise<void> {
  const { command, resolve, reject } = call;
  switch (outcome) {
    case 'succeeded':
      return client.send(command).then(resolve, reject);
    case 'retried':
      return client.send(command).then(() => client.send(command).then(resolve, reject), reject);
    case 'failed':
      return reject(new SimulatedCallError());
    case 'responseLost':
      return client.send(command).then(() => reject(new SimulatedCallError()), reject);
    case 'killedBefore':
      return kill();
    case 'killedAfter':
      await client.send(command).catch(() => {});
      return kill();
    default:
      outcome satisfies never;
  }
}
