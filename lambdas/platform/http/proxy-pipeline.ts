/** The steps around every function behind API Gateway that does not stream: headers, and responses to errors. */
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { GatewayError } from '../errors.ts';
import { type ErrorResponse, renderError, toGatewayError } from './error-response.ts';

export type ProxyHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** `Added` is what `before` middleware adds to the context. */
interface ProxyPipelineOptions<Added extends object> {
  /** Added to every response except one from a `before` middleware. They override headers of the same name. */
  headersFor(event: APIGatewayProxyEvent): Record<string, string>;
  /** Called for every error before its response is sent. The error may be that of the middleware that adds to the context. */
  onErrorResponse?(error: GatewayError, event: APIGatewayProxyEvent, context: Context & Partial<Added>): void;
  /** Default: in OpenAI's format. */
  renderError?(error: GatewayError, event: APIGatewayProxyEvent): ErrorResponse;
  /** The time before the function's timeout at which the response becomes an error; 0 for never. */
  timeoutEarlyMs: number;
}

/** Add middleware with `before` and the function's own code with `handler`. */
export function createProxyPipeline<Added extends object = object>({
  headersFor,
  onErrorResponse,
  renderError: render = renderError,
  timeoutEarlyMs,
}: ProxyPipelineOptions<Added>) {
  type PipelineContext = Context & Added;
  type Step = middy.MiddlewareFn<APIGatewayProxyEvent, APIGatewayProxyResult, Error, PipelineContext>;
  const addHeaders: Step = ({ event, response }) => {
    if (response) response.headers = { ...response.headers, ...headersFor(event) };
  };
  const respondToError: Step = (request) => {
    const error = toGatewayError(request.error);
    onErrorResponse?.(error, request.event, request.context);
    request.response = render(error, request.event);
  };
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, PipelineContext>({
    timeoutEarlyInMillis: timeoutEarlyMs,
  })
    .use({ after: addHeaders, onError: addHeaders })
    .onError(respondToError);
}
