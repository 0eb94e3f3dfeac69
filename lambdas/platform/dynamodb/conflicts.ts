/** Conflicts of a write with other writes of the same item. */
import { setTimeout as wait } from 'node:timers/promises';
import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';

const maxAttempts = 20;
const maxDelayMs = 500;

/** Full jitter, so that callers do not retry in step. */
export function pauseAtRandom(maxMs: number): Promise<void> {
  return wait(Math.random() * maxMs);
}

/** Repeats a write while a transaction is writing the same item. Rejects if one does for some seconds. */
export async function retryOnConflict<Output>(
  send: () => Promise<Output>,
  { isConflict = isTransactionConflict, pause = pauseAtRandom } = {},
): Promise<Output> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (attempt === maxAttempts || !isConflict(error)) throw error;
    }
    await pause(Math.min(maxDelayMs, 2 ** attempt));
  }
}

function isTransactionConflict(error: unknown): boolean {
  return error instanceof TransactionConflictException;
}

/** Resolves to `null` when the condition fails. */
export async function nullIfConditionFails<Output>(write: Promise<Output>): Promise<Output | null> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return null;
    throw error;
  }
}
