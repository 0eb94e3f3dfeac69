/** A DynamoDB client whose attempts fail as a network's do. Like any client, it repeats failed attempts. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { testIdentity } from './embedded.ts';

/** `response lost`: after DynamoDB has answered. */
export type AttemptFailure = 'not sent' | 'response lost';

interface FailingClientOptions {
  endpoint: string;
  maxAttempts: number;
  /** Makes one attempt: calls `send`, or rejects, or both. `operation` is such as `TransactWriteItemsCommand`. */
  attempt<Output>(send: () => Promise<Output>, operation: string): Promise<Output>;
}

export interface FailingClient {
  client: DynamoDBDocumentClient;
  stop(): void;
}

export function createFailingClient({ endpoint, maxAttempts, attempt }: FailingClientOptions): FailingClient {
  const dynamodb = new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: testIdentity,
    retryStrategy: new ConfiguredRetryStrategy(maxAttempts, () => 0),
  });
  dynamodb.middlewareStack.add(
    (next, { commandName }) =>
      (args) =>
        attempt(() => next(args), String(commandName)),
    { step: 'deserialize', priority: 'high' },
  );
  return { client: createDocumentClient(dynamodb), stop: () => dynamodb.destroy() };
}

/** Rejects with an error that the client repeats the attempt for, before or after it was made. */
export async function sendWithFailure<Output>(
  send: () => Promise<Output>,
  failure: AttemptFailure | null,
): Promise<Output> {
  if (failure === 'not sent') throw connectionError();
  const output = await send();
  if (failure === 'response lost') throw connectionError();
  return output;
}

function connectionError(): Error {
  return Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
}
