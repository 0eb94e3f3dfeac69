import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readDashboardRequest } from '#lambdas/accounts/http/request.ts';
import type { Role } from '#lambdas/accounts/permissions.ts';
import { createTestRequestHandler } from '#lambdas/accounts/test-request/handler.ts';
import { createResponseSink } from '#lambdas/platform/http/response-sink.ts';
import { dashboardOrigin } from '#test/support/accounts/dashboard-fixture.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
} from '#test/support/accounts/organizations-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { type Listening, listen } from '#test/support/http/listen.ts';
import { proxyEvent } from '#test/support/http/proxy-event.ts';
import { unreachableEndpoint } from '#test/support/http/unreachable-endpoint.ts';
import type { LogLine } from '#test/support/log-lines.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';

const organizationId = 'org_0000000000000001';
const apiKey = `pt_live_${'k'.repeat(32)}`;
const entryId = '0192f0c1-2345-7abc-8def-0123456789ab';
const stream = { organization_id: organizationId, api_key: apiKey, model: 'openai/gpt-5.2' };

type Respond = (response: ServerResponse) => void;

interface ReceivedRequest {
  target: string;
  headers: IncomingMessage['headers'];
  body: string;
}

let database: EmbeddedDynamoDB;
let organizations: OrganizationsFixture;
let gateway: Listening;
let dashboard: Listening;
let apiBaseUrl: string;
let timeoutMs: number;
let flushMs: number;
let respond: Respond;
let received: ReceivedRequest[];
let printed: LogLine[];

beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  organizations = await startOrganizationsFixture(database);
  gateway = await listen(
    createServer(async (request, response) => {
      const { method, url, headers } = request;
      received.push({ target: `${method} ${url}`, headers, body: await text(request) });
      respond(response);
    }),
  );
  dashboard = await listen(createServer(serveDashboard));
});
afterAll(async () => {
  await Promise.all([gateway.stop(), dashboard.stop(), database.stop()]);
});
beforeEach(() => {
  apiBaseUrl = `http://${gateway.address}/prod`;
  timeoutMs = 30_000;
  flushMs = 0;
  received = [];
  respond = (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list"}');
  printed = recordLogLines();
});
afterEach(() => {
  expect(JSON.stringify(printed)).not.toContain(apiKey.slice(8));
});

async function serveDashboard(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { accounts, now } = organizations.dependencies;
  const gateway = { apiBaseUrl, timeoutMs };
  const handle = createTestRequestHandler({ dashboardOrigin, gateway, flushMs, accounts, now });
  const event = proxyEvent({
    httpMethod: incoming.method ?? '',
    resource: '/dashboard/api/test-requests/{proxy+}',
    path: incoming.url ?? '',
    headers: incoming.headers as Record<string, string>,
    body: await text(incoming),
    isBase64Encoded: false,
  });
  await handle({
    request: readDashboardRequest(event),
    response: createResponseSink(outgoing, (status, headers) => outgoing.writeHead(status, headers)),
    maxDurationMs: 60_000,
  });
}

/** Resolves to the cookie of a user with this role in the organization; without a role, of somebody else. */
async function signIn(role: Role | null): Promise<string> {
  const user = await organizations.signIn('Ada');
  if (role !== null) await organizations.join(organizationId, user, role);
  return user.cookies.map((cookie) => cookie.join('=')).join('; ');
}

async function call(
  path: string,
  body: unknown,
  {
    cookie,
    headers,
    signal,
  }: { cookie?: string; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(`http://${dashboard.address}/dashboard/api/test-requests${path}`, {
    method: 'POST',
    headers: { 'x-dashboard': '1', cookie: cookie ?? (await signIn('member')), ...headers },
    body: JSON.stringify(body),
    signal: signal ?? null,
  });
}

async function refusal(response: Response) {
  const { error } = (await response.json()) as { error: { code: string; param: string; message: string } };
  return { status: response.status, code: error.code, param: error.param, message: error.message };
}

describe('A test request', () => {
  it('sends a short prompt with the key, and streams the response through as it arrives', async () => {
    const started = Promise.withResolvers<ServerResponse>();
    respond = (response) => {
      response.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'x-gateway-request-id': entryId,
        'x-gateway-provider': 'openai',
        'x-gateway-ignored-parameters': 'stream_options',
        'x-amzn-requestid': 'internal',
      });
      response.write('data: {"first":"ä"}\n\n');
      started.resolve(response);
    };

    const response = await call('', stream);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader() ?? expect.fail();
    const first = await reader.read();
    (await started.promise).end('data: [DONE]\n\n');
    const second = await reader.read();

    expect(first.value).toBe('data: {"first":"ä"}\n\n');
    expect(second.value).toBe('data: [DONE]\n\n');
    expect((await reader.read()).done).toBe(true);
    expect(response.status).toBe(200);
    const {
      date: _,
      connection: __,
      'keep-alive': ___,
      'transfer-encoding': ____,
      ...headers
    } = Object.fromEntries(response.headers);
    expect(headers).toEqual({
      'cache-control': 'no-store',
      'content-type': 'text/event-stream; charset=utf-8',
      'x-gateway-request-id': entryId,
      'x-gateway-provider': 'openai',
    });
    expect(received).toEqual([
      {
        target: 'POST /prod/ai/chat/completions',
        headers: expect.objectContaining({
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          'gateway-prompt-id': 'dashboard-test',
          'accept-encoding': 'identity',
          connection: 'close',
        }),
        body: JSON.stringify({
          model: 'openai/gpt-5.2',
          stream: true,
          stream_options: { include_usage: true },
          max_completion_tokens: 1024,
          messages: [
            {
              role: 'user',
              content: 'Greet me in one short, friendly sentence, and wish me fun with the first API key.',
            },
          ],
        }),
      },
    ]);
    expect(received[0]?.headers).not.toHaveProperty('cookie');
    expect(printed).toEqual([]);
  });

  it.each([
    ['/models', {}, 'GET /prod/ai/models'],
    ['/entry', { id: entryId }, `GET /prod/api/logs/${entryId}`],
  ])('reads %s from the gateway with the key', async (path, fields, target) => {
    const response = await call(path, { organization_id: organizationId, api_key: apiKey, ...fields });

    expect([response.status, await response.text()]).toEqual([200, '{"object":"list"}']);
    expect(received).toMatchObject([{ target, headers: { authorization: `Bearer ${apiKey}` }, body: '' }]);
  });

  it.each([
    ['', 401, '{"error":{"code":"invalid_api_key"}}', stream],
    ['', 429, '{"error":{"code":"insufficient_quota"}}', stream],
    ['/entry', 404, '{"error":{"code":"not_found"}}', { ...stream, model: undefined, id: entryId }],
  ])("passes on the gateway's errors (path '%s', status %i)", async (path, status, error, body) => {
    respond = (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(error);

    const response = await call(path, body);

    expect([response.status, await response.text()]).toEqual([status, error]);
  });
});

describe('A gateway that does not respond as expected', () => {
  it('is not asked any more when the client has disconnected', async () => {
    const closed = Promise.withResolvers<void>();
    respond = (response) => {
      response.on('close', () => closed.resolve());
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n');
    };
    const client = new AbortController();

    const response = await call('', stream, { signal: client.signal });
    client.abort();

    await closed.promise;
    await expect(response.text()).rejects.toThrow('aborted');
    expect(printed).toEqual([]);
  });

  it('ends the response when the stream breaks off', async () => {
    respond = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {}\n\n', () => response.destroy());
    };

    const response = await call('', stream);

    expect([response.status, await response.text()]).toEqual([200, 'data: {}\n\n']);
    expect(printed).toMatchObject([{ level: 'ERROR', event: 'unexpected_error' }]);
  });

  it('leads to 504 when it stays silent', async () => {
    timeoutMs = 20;
    const closed = Promise.withResolvers<void>();
    respond = (response) => response.on('close', () => closed.resolve());

    const response = await call('', stream);

    expect(await refusal(response)).toEqual({
      status: 504,
      code: 'provider_timeout',
      param: null,
      message: 'The gateway has not responded within 0.02 seconds: try again, or another model',
    });
    expect(response.headers.get('cache-control')).toBe('no-store');
    await closed.promise;
  });

  it('leads to 503 when it cannot be reached', async () => {
    apiBaseUrl = await unreachableEndpoint();

    expect(await refusal(await call('', stream))).toEqual({
      status: 503,
      code: 'service_unavailable',
      param: null,
      message: 'The gateway cannot be reached at the moment: send the test request again',
    });
    expect(printed).toMatchObject([{ level: 'ERROR', event: 'unexpected_error' }]);
  });

  it('does not get the key sent on to where it redirects', async () => {
    respond = (response) =>
      response.writeHead(307, { location: `http://${gateway.address}/elsewhere` }).end();

    expect(await refusal(await call('', stream))).toMatchObject({ status: 503, code: 'service_unavailable' });
    expect(received.map(({ target }) => target)).toEqual(['POST /prod/ai/chat/completions']);
  });
});

describe('The function refuses', () => {
  afterEach(() => expect(received).toEqual([]));

  it.each([
    ['calls without the header of the page', { 'x-dashboard': '' }, 403, 'forbidden'],
    ['calls from other sites', { 'sec-fetch-site': 'cross-site' }, 403, 'forbidden'],
    ['calls without a session', { cookie: '' }, 401, 'invalid_session'],
  ])('%s', async (_, headers, status, code) => {
    expect(await refusal(await call('', stream, { headers }))).toMatchObject({ status, code });
  });

  it('sessions that are due for their renewal', async () => {
    const cookie = await signIn('owner');
    organizations.clock.nowMs += 3_660_000;

    expect(await refusal(await call('', stream, { cookie }))).toMatchObject({
      status: 401,
      code: 'session_renewal_due',
    });
  });

  it.each(['', '/models', '/entry'])('viewers, and members of other organizations, at %s', async (path) => {
    // The other fields are missing: those who may not send requests do not get as far.
    const body = { organization_id: organizationId };
    const [viewer, stranger] = [await signIn('viewer'), await signIn(null)];

    expect(await refusal(await call(path, body, { cookie: viewer }))).toEqual({
      status: 403,
      code: 'forbidden',
      param: null,
      message:
        'Your role in this organization does not include the permission send_test_requests: ask an owner',
    });
    expect(await refusal(await call(path, body, { cookie: stranger }))).toEqual({
      status: 404,
      code: 'not_found',
      param: null,
      message: 'There is no such organization among yours',
    });
  });

  const keyMessage = 'api_key must be a complete API key, such as pt_live_…';
  const modelMessage = 'model must be the id of a model, with at most 256 characters';
  it.each([
    [
      '',
      { ...stream, organization_id: 'org#1' },
      'organization_id',
      'organization_id must be the id of an organization',
    ],
    ['', { ...stream, api_key: undefined }, 'api_key', 'api_key must be text'],
    ['', { ...stream, api_key: `${apiKey}k` }, 'api_key', keyMessage],
    ['/models', { organization_id: organizationId, api_key: `${apiKey}\r\nx: y` }, 'api_key', keyMessage],
    ['', { ...stream, model: '' }, 'model', modelMessage],
    ['', { ...stream, model: 'm'.repeat(257) }, 'model', modelMessage],
    ['', { ...stream, max_tokens: 5 }, 'max_tokens', 'max_tokens is not a field of this request'],
    ['/entry', { ...stream, model: undefined, id: '../costs' }, 'id', 'id must be a UUID'],
  ])('at "%s" the body %o, because of %s', async (path, body, param, message) => {
    expect(await refusal(await call(path, body))).toEqual({
      status: 400,
      code: 'invalid_request_error',
      param,
      message,
    });
  });

  it.each([
    ['/unknown', 'POST', 404],
    ['', 'GET', 405],
  ])('%s with the method %s', async (path, method, status) => {
    const response = await fetch(`http://${dashboard.address}/dashboard/api/test-requests${path}`, {
      method,
      headers: { 'x-dashboard': '1', cookie: await signIn('owner') },
    });

    expect(response.status).toBe(status);
  });
});
