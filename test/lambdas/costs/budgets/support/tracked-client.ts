import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export interface TrackedClient {
  client: DynamoDBDocumentClient;
  /** Resolves when no call is in progress, and none follows at once. */
  idle(): Promise<void>;
}

export function trackCalls(original: DynamoDBDocumentClient): TrackedClient {
  let inProgress = 0;
  let started = 0;
  const send = async (...args: Parameters<DynamoDBDocumentClient['send']>) => {
    inProgress++;
    started++;
    try {
      return await original.send(...args);
    } finally {
      inProgress--;
    }
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    client: Object.assign(Object.create(original), { send }),
    async idle() {
      for (let before = -1; inProgress > 0 || before !== started; ) {
        before = started;
        await turn();
        await turn();
      }
    },
  };
}
