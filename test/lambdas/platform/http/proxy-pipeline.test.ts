import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { createProxyPipeline } from '#lambdas/platform/http/proxy-pipeline.ts';
import { proxyEvent } from '#test/support/http/proxy-event.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';

const event = proxyEvent({ resource: '/items/{id}' });
const context = {} as Context;
const options = {
  headersFor: ({ resource }: APIGatewayProxyEvent) => ({ 'x-resource': resource }),
  timeoutEarlyMs: 0,
};

const refuse = async (): Promise<APIGatewayProxyResult> => {
  throw new GatewayError('method_not_allowed', { message: 'Use GET', headers: { allow: 'GET' } });
};

describe('createProxyPipeline', () => {
  it("adds the headers to those of the handler's response", async () => {
    const handler = createProxyPipeline(options).handler(async () => ({
      statusCode: 200,
      headers: { 'content-type': 'text/plain' },
      body: 'Hello',
    }));

    expect(JSON.stringify(await handler(event, context))).toBe(
      '{"statusCode":200,"headers":{"content-type":"text/plain","x-resource":"/items/{id}"},"body":"Hello"}',
    );
  });

  it('turns a GatewayError into its response, with the headers after those of the error', async () => {
    const response = await createProxyPipeline(options).handler(refuse)(event, context);

    expect(JSON.parse(response.body)).toMatchObject({ error: { code: 'method_not_allowed' } });
    expect([response.statusCode, Object.entries(response.headers ?? {})]).toEqual([
      405,
      [
        ['content-type', 'application/json'],
        ['allow', 'GET'],
        ['x-resource', '/items/{id}'],
      ],
    ]);
  });

  it('turns any other error into a response and a log line without its message', async () => {
    const lines = recordLogLines();
    const handler = createProxyPipeline(options).handler(async () => {
      throw new TypeError('secret');
    });

    const response = await handler(event, context);

    expect(response).toMatchObject({ statusCode: 500, headers: { 'x-resource': '/items/{id}' } });
    expect(JSON.parse(response.body)).toMatchObject({ error: { code: 'internal_error' } });
    expect(lines).toMatchObject([{ event: 'unexpected_error', error: 'TypeError' }]);
    expect(JSON.stringify([response, lines])).not.toContain('secret');
  });

  it('reports the error of each response once, with the event and the context', async () => {
    const onErrorResponse = vi.fn();
    const pipeline = createProxyPipeline({ ...options, onErrorResponse });

    await pipeline.handler(refuse)(event, context);

    expect(onErrorResponse.mock.calls).toEqual([
      [expect.objectContaining({ code: 'method_not_allowed' }), event, context],
    ]);
  });

  it('returns the response of a middleware as it is, without calling the handler', async () => {
    const handle = vi.fn(refuse);
    const early = { statusCode: 204, headers: { vary: 'origin' }, body: '' };
    const handler = createProxyPipeline(options)
      .before(() => early)
      .handler(handle);

    expect(await handler(event, context)).toEqual({ ...early, headers: { vary: 'origin' } });
    expect(handle).not.toHaveBeenCalled();
  });

  it('responds with an error in the chosen time before the timeout of the function', async () => {
    recordLogLines();
    const handler = createProxyPipeline({ ...options, timeoutEarlyMs: 5 }).handler(
      () => new Promise<APIGatewayProxyResult>(() => {}),
    );

    const response = await handler(event, { ...context, getRemainingTimeInMillis: () => 5 });

    expect(response).toMatchObject({ statusCode: 500, headers: { 'x-resource': '/items/{id}' } });
  });

  it('ignores the timeout of the function without such a time', async () => {
    const getRemainingTimeInMillis = vi.fn(() => 0);
    const handler = createProxyPipeline(options).handler(async () => ({ statusCode: 200, body: '' }));

    const response = await handler(event, { ...context, getRemainingTimeInMillis });

    expect(response.statusCode).toBe(200);
    expect(getRemainingTimeInMillis).not.toHaveBeenCalled();
  });
});
