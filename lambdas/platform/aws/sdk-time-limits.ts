import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** By default the SDK waits forever. With these limits, the caller gets an error within API Gateway's 29 seconds. */
export const sdkTimeLimits = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 5000, throwOnRequestTimeout: true },
} as const satisfies DynamoDBClientConfig;
