/** A caller of DynamoDB whose attempts fail, and which may be killed at any of them. A scheduler orders several callers. */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { Scheduler } from 'fast-check';
import type { EmbeddedDynamoDB } from './embedded.ts';
import {
  type AttemptFailure,
  createFailingClient,
  type FailingClient,
  sendWithFailure,
} from './failing-client.ts';

/** `conflict`: another transaction is in the way. */
export type AttemptOutcome = AttemptFailure | 'answered' | 'conflict' | 'killed before' | 'killed after';

export interface FailingCaller extends FailingClient {
  /**
   * Resolves with the work, or when it is killed. Only one work may be in progress. `outcomes` are those of its first attempts;
   * later ones are answered.
   */
  run(
    work: () => Promise<unknown>,
    options: { outcomes: readonly AttemptOutcome[]; scheduler: Scheduler },
  ): Promise<void>;
}

interface Run {
  outcomes: AttemptOutcome[];
  scheduler: Scheduler;
  kill(): void;
}

const maxAttempts = 2;

export function createFailingCaller({ endpoint }: EmbeddedDynamoDB): FailingCaller {
  let current: Run | null = null;
  const client = createFailingClient({
    endpoint,
    maxAttempts,
    attempt(send, operation) {
      if (current === null) throw new Error('The caller has no work');
      const { scheduler } = current;
      return inTurn(scheduler, operation, attemptOf(send, operation, current));
    },
  });
  return {
    ...client,
    async run(work, { outcomes, scheduler }) {
      const killed = Promise.withResolvers<void>();
      current = { outcomes: [...outcomes], scheduler, kill: killed.resolve };
      await Promise.race([work(), killed.promise]);
    },
  };
}

/** Resolves or rejects as soon as the attempt was made. */
function attemptOf<Output>(send: () => Promise<Output>, operation: string, run: Run) {
  return async (): Promise<() => Promise<Output>> => {
    const outcome = run.outcomes.shift() ?? 'answered';
    switch (outcome) {
      case 'killed before':
      case 'killed after':
        if (outcome === 'killed after') await send();
        run.kill();
        return () => new Promise(() => {});
      case 'conflict':
        if (operation === 'TransactWriteItemsCommand') throw conflict();
        break;
      case 'answered':
        break;
      default: {
        const output = await sendWithFailure(send, outcome);
        return async () => output;
      }
    }
    const output = await send();
    return async () => output;
  };
}

/** No other attempt is made during this one. */
function inTurn<Output>(
  scheduler: Scheduler,
  label: string,
  attempt: () => Promise<() => Promise<Output>>,
): Promise<Output> {
  const made = new Promise<() => Promise<Output>>((resolve, reject) => {
    scheduler.schedule(Promise.resolve(), label, undefined, async (release) => {
      await release();
      await attempt().then(resolve, reject);
    });
  });
  return made.then((result) => result());
}

function conflict(): TransactionCanceledException {
  const CancellationReasons = [{ Code: 'TransactionConflict' }];
  return new TransactionCanceledException({ message: '', $metadata: {}, CancellationReasons });
}
