/** Sends a transaction until it was applied, or a condition has failed. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** The limit of `TransactWriteItems`. */
export const maxTransactionItems = 100;

const maxAttempts = 20;
const maxDelayMs = 500;

/**
 * Resolves to the positions of the items whose condition failed; without any, the transaction was applied. It is repeated
 * while other writes of the same items are in its way. Rejects if they stay in its way for some seconds.
 */
export async function sendTransaction(
  client: DynamoDBDocumentClient,
  TransactItems: TransactItem[],
  pause = (maxMs: number): Promise<void> => wait(Math.random() * maxMs),
): Promise<readonly number[]> {
  // For ten minutes, a transaction that was applied changes nothing when it is repeated, as after a lost response.
  const ClientRequestToken = randomUUID();
  for (let attempt = 1; ; attempt++) {
    try {
      await client.send(new TransactWriteCommand({ TransactItems, ClientRequestToken }));
      return [];
    } catch (error) {
      const failed = failedPositions(error);
      if (failed.length > 0) return failed;
      if (attempt === maxAttempts || !isRepeatable(error)) throw error;
    }
    // At random, so that two callers do not meet again.
    await pause(Math.min(maxDelayMs, 2 ** attempt));
  }
}

function reasonsOf(error: unknown): (string | undefined)[] {
  if (!(error instanceof TransactionCanceledException)) return [];
  return (error.CancellationReasons ?? []).map(({ Code }) => Code);
}

function failedPositions(error: unknown): number[] {
  return reasonsOf(error).flatMap((code, position) => (code === 'ConditionalCheckFailed' ? [position] : []));
}

const repeatable = new Set<string | undefined>([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);

function isRepeatable(error: unknown): boolean {
  // An earlier attempt, whose response was lost, has not ended yet.
  if (error instanceof TransactionInProgressException) return true;
  return reasonsOf(error).some((code) => repeatable.has(code));
}
