/** Entry point of the function behind the dashboard's test requests. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { sdkTimeLimits } from '#lambdas/platform/aws/sdk-time-limits.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { createResponseSink } from '#lambdas/platform/http/response-sink.ts';
import { withRequestId } from '#lambdas/platform/telemetry/log.ts';
import { readDashboardRequest } from '../http/request.ts';
import { createTestRequestHandler } from './handler.ts';

const environment = readEnvironment('ACCOUNTS_TABLE', 'DASHBOARD_ORIGIN', 'API_BASE_URL', 'STREAM_FLUSH_MS');
const accounts = {
  client: createDocumentClient(new DynamoDBClient(sdkTimeLimits)),
  tableName: environment.ACCOUNTS_TABLE,
};

/** CloudFront waits 120 seconds for a response to begin. */
const gatewayTimeoutMs = 110_000;

/** For the end of the response before the function's timeout. */
const endMarginMs = 5000;

const handleTestRequest = createTestRequestHandler({
  dashboardOrigin: environment.DASHBOARD_ORIGIN,
  gateway: { apiBaseUrl: environment.API_BASE_URL, timeoutMs: gatewayTimeoutMs },
  flushMs: Number(environment.STREAM_FLUSH_MS),
  accounts,
  now: () => new Date(),
});

export const handler = awslambda.streamifyResponse((event: APIGatewayProxyEvent, stream, context) =>
  withRequestId(context.awsRequestId, () =>
    handleTestRequest({
      request: readDashboardRequest(event),
      response: createResponseSink(stream, (statusCode, headers) =>
        awslambda.HttpResponseStream.from(stream, { statusCode, headers }),
      ),
      maxDurationMs: context.getRemainingTimeInMillis() - endMarginMs,
    }),
  ),
);
