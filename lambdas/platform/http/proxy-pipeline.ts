/** The steps around every function behind API Gateway that does not stream: headers, and responses to errors. */
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { GatewayError } from '../errors.ts';
import { renderError, toGatewayError } from './error-response.ts';

export type ProxyHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

interface ProxyPipelineOptions<PipelineContext extends Context> {
  /** Added to every response except one from a `before` middleware. They override headers of the same name. */
  headersFor(event: APIGatewayProxyEvent): Record<string, string>;
  /** Called for every error before its response is sent. */
  onErrorResponse?(error: GatewayError, event: APIGatewayProxyEvent, context: PipelineContext): void;
  /** The time before the function's timeout at which the response becomes an error; 0 for never. */
  timeoutEarlyMs: number;
}

/** Add middleware with `before` and the function's own code with `handler`. */
export function createProxyPipeline<PipelineContext extends Context = Context>({
  headersFor,
  onErrorResponse,
  timeoutEarlyMs,
}: ProxyPipelineOptions<PipelineContext>) {
  type Step = middy.MiddlewareFn<APIGatewayProxyEvent, APIGatewayProxyResult, Error, PipelineContext>;
  const addHeaders: Step = ({ event, response }) => {
    if (response) response.headers = { ...response.headers, ...headersFor(event) };
  };
  const respondToError: Step = (request) => {
    const error = toGatewayError(request.error);
    onErrorResponse?.(error, request.event, request.context);
    request.response = renderError(error);
  };
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, PipelineContext>({
    timeoutEarlyInMillis: timeoutEarlyMs,
  })
    .use({ after: addHeaders, onError: addHeaders })
    .onError(respondToError);
}
