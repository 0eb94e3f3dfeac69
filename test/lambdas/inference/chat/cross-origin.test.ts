import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCors } from '#lambdas/platform/http/cors.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import { functionUrlEvent } from '#test/support/chat/handler-fixture.ts';
import { errorResponse } from '#test/support/providers/openai/error-response.ts';

const app = 'https://app.example.com';
const allowed = { dependencies: { cors: createCors([app]) } };
const request = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Say hello' }] };
const allowOrigin = 'access-control-allow-origin';

describe('Requests of browsers', () => {
  let fixture: ChatFixture;
  beforeAll(async () => {
    fixture = await startChatFixture();
  });
  afterAll(() => fixture.stop());

  async function send(method: string, path: string, headers: Record<string, string>, options = allowed) {
    const { gateway } = await fixture.setUp(options);
    const call = await gateway.call({
      ...functionUrlEvent,
      rawPath: path,
      headers,
      requestContext: {
        ...functionUrlEvent.requestContext,
        http: { ...functionUrlEvent.requestContext.http, method, path },
      },
    });
    const body = await text(call.body);
    await call.invocation;
    return {
      status: call.status,
      headers: call.headers,
      body,
      lines: gateway.lines,
      entries: await gateway.entries(),
    };
  }

  const preflightHeaders = { origin: app, 'access-control-request-method': 'POST' };

  it.each(['/ai/chat/completions', '/ai/v1/chat/completions', '/ai/models/openai/gpt-4o', '/ai/v2'])(
    'answers the preflight request to %s without a key, an entry or a log line',
    async (path) => {
      const { status, headers, body, lines, entries } = await send('OPTIONS', path, preflightHeaders);
      expect([status, headers[allowOrigin], body, lines, entries]).toEqual([204, app, '', [], []]);
    },
  );

  it('allows nothing to other origins, without a log line', async () => {
    const headers = { ...preflightHeaders, origin: 'https://other.example.com' };
    const { status, headers: received, lines } = await send('OPTIONS', '/ai/chat/completions', headers);
    expect([status, received, lines]).toEqual([204, { vary: 'origin' }, []]);
  });

  it('rejects OPTIONS if no origin is allowed', async () => {
    const options = { dependencies: { cors: createCors([]) } };
    const { status, headers } = await send('OPTIONS', '/ai/chat/completions', preflightHeaders, options);
    expect([status, headers[allowOrigin], headers.vary]).toEqual([405, undefined, undefined]);
  });

  it.each([false, true])('lets the page read completions and errors (stream: %s)', async (stream) => {
    const { gateway, upstream } = await fixture.setUp(allowed);
    const completed = await gateway.post({ ...request, stream }, { origin: app });
    upstream.script(errorResponse(429));
    const failed = await gateway.post({ ...request, stream }, { origin: app });
    const refused = await gateway.post({ ...request, stream, model: 1 }, { origin: app });
    const responses = [completed, failed, refused];
    expect(responses.map(({ status, headers }) => [status, headers[allowOrigin], headers.vary])).toEqual([
      [200, app, 'origin'],
      [429, app, 'origin'],
      [400, app, 'origin'],
    ]);
  });

  it.each([
    ['/ai/chat/completions', { authorization: 'Bearer pt_live_no' }, 401],
    ['/ai/nowhere', {}, 404],
  ])('lets the page read the error of %s', async (path, headers, status) => {
    const response = await send('POST', path, { origin: app, ...headers });
    expect([response.status, response.headers[allowOrigin]]).toEqual([status, app]);
  });

  it('sends no header of this kind to another origin, and none at all without the setting', async () => {
    const { gateway } = await fixture.setUp(allowed);
    const other = await gateway.post(request, { origin: 'https://other.example.com' });
    expect([other.status, other.headers[allowOrigin], other.headers.vary]).toEqual([
      200,
      undefined,
      'origin',
    ]);
    const unset = await (await fixture.setUp()).gateway.post(request, { origin: app });
    expect([unset.headers[allowOrigin], unset.headers.vary]).toEqual([undefined, undefined]);
  });
});
