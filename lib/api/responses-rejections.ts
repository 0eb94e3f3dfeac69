/** Parts of OpenAI's Responses API that the gateway does not serve: API Gateway rejects them itself, without a function or a key. */
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { messagesBelowResponses, webSocketError } from '#lambdas/inference/missing-routes.ts';
import { operationPaths, versioned } from '#lambdas/inference/paths.ts';
import { type Headers, rejectMethod } from './rest-errors.ts';

export const responsesPaths = [operationPaths.responses, versioned(operationPaths.responses)];

/** The paths below that of responses, with the messages of their 404s. */
const absences = responsesPaths.flatMap((path) =>
  Object.entries(messagesBelowResponses).map(([rest, message]) => ({ path: `${path}/${rest}`, message })),
);

export const pathsBelowResponses = absences.map(({ path }) => path);

/** The errors have `headers` in addition to their own. */
export function addResponsesRejections({ root }: RestApi, headers: Headers): void {
  const error = { ...webSocketError, headers: { ...headers, ...webSocketError.headers } };
  for (const path of responsesPaths) {
    rejectMethod(root.resourceForPath(path), 'GET', { code: 'websocket_not_supported', ...error });
  }
  for (const { path, message } of absences) {
    rejectMethod(root.resourceForPath(path), 'ANY', { code: 'not_found', message, headers });
  }
}
