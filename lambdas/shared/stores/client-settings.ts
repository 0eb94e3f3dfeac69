/** How long a function waits for the services in which it keeps its entries, and how often it asks them again. */
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** By default the SDK waits without end, and a request whose table hangs would hang with it until its function is killed. */
export const tableClientSettings = {
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: 1000,
    requestTimeout: 1500,
    throwOnRequestTimeout: true,
    // The one above ends when an answer begins.
    socketTimeout: 1500,
  },
} as const satisfies DynamoDBClientConfig;
