/** Sends a transaction until it was applied, or a condition has failed. */
import { randomUUID } from 'node:crypto';
import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { pauseAtRandom, retryOnConflict } from './conflicts.ts';

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** The limit of `TransactWriteItems`. */
export const maxTransactionItems = 100;

/**
 * Resolves to the positions of the items whose condition failed; without any, the transaction was applied. It is repeated
 * while other writes of the same items are in its way. Rejects if they stay in its way for some seconds.
 */
export async function sendTransaction(
  client: DynamoDBDocumentClient,
  TransactItems: TransactItem[],
  pause = pauseAtRandom,
): Promise<readonly number[]> {
  // For ten minutes, a transaction that was applied changes nothing when it is repeated, as after a lost response.
  const ClientRequestToken = randomUUID();
  const send = () => client.send(new TransactWriteCommand({ TransactItems, ClientRequestToken }));
  try {
    await retryOnConflict(send, { isConflict, pause });
    return [];
  } catch (error) {
    const failed = failedPositions(error);
    if (failed.length === 0) throw error;
    return failed;
  }
}

function reasonsOf(error: unknown): (string | undefined)[] {
  if (!(error instanceof TransactionCanceledException)) return [];
  return (error.CancellationReasons ?? []).map(({ Code }) => Code);
}

function failedPositions(error: unknown): number[] {
  return reasonsOf(error).flatMap((code, position) => (code === 'ConditionalCheckFailed' ? [position] : []));
}

const conflictCodes = new Set<string | undefined>([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);

function isConflict(error: unknown): boolean {
  // An earlier attempt, whose response was lost, has not ended yet.
  if (error instanceof TransactionInProgressException) return true;
  return failedPositions(error).length === 0 && reasonsOf(error).some((code) => conflictCodes.has(code));
}
