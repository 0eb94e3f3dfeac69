/** What callers send to the REST API and the Function URL, and what they get back. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { APIGatewayProxyEvent, LambdaFunctionURLEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FixtureGateway, probe, read, startFixtureGateway } from '../fixture-gateway.ts';

let gateway: FixtureGateway;

beforeAll(async () => {
  gateway = await startFixtureGateway();
});

afterAll(() => gateway.stop());

/** What the behaviour `event` answers. */
interface Probed {
  event: LambdaFunctionURLEvent;
  context: { awsRequestId: string; invokedFunctionArn: string; remainingMs: number };
}

const entrances = [
  [
    'the REST API',
    () => `${gateway.baseUrl}/streams`,
    { status: 503, body: { error: { code: 'service_unavailable', message: 'Internal server error' } } },
  ],
  ['the Function URL', () => gateway.chatUrl, { status: 502, body: { message: 'Internal Server Error' } }],
] as const;

describe('a buffered route of the REST API', () => {
  it('gives the function a proxy event of version 1.0', async () => {
    const response = await fetch(`${gateway.baseUrl}/reports/a%20b?x=1&x=2&do=event`, {
      headers: { 'X-Custom': 'Yes' },
    });
    const event = await read<APIGatewayProxyEvent>(response);

    expect(response.status).toBe(200);
    expect(response.headers.get('x-report')).toBe('yes');
    expect(event).toMatchObject({
      resource: '/reports/{id}',
      path: '/reports/a%20b',
      httpMethod: 'GET',
      queryStringParameters: { x: '2', do: 'event' },
      multiValueQueryStringParameters: { x: ['1', '2'], do: ['event'] },
      pathParameters: { id: 'a b' },
      stageVariables: null,
      body: null,
      isBase64Encoded: false,
      requestContext: {
        resourcePath: '/reports/{id}',
        path: '/prod/reports/a%20b',
        stage: 'prod',
        apiId: 'Api',
        accountId: '000000000000',
        httpMethod: 'GET',
        protocol: 'HTTP/1.1',
        identity: { sourceIp: '127.0.0.1' },
      },
    });
    expect(event.headers).toMatchObject({ 'X-Forwarded-Proto': 'http', 'X-Custom': 'Yes' });
    expect(event.multiValueHeaders['X-Custom']).toEqual(['Yes']);
  });

  it.each([
    [
      'an unknown path',
      'GET',
      '/nothing',
      404,
      { code: 'not_found', message: 'Missing Authentication Token' },
    ],
    [
      'a resource without methods',
      'GET',
      '/reports',
      404,
      { code: 'not_found', message: 'Missing Authentication Token' },
    ],
    ['a method without a template', 'PUT', '/reports/1', 405, { code: 'method_not_allowed' }],
    [
      'a function that throws',
      'GET',
      '/reports/1?do=throw',
      503,
      { code: 'service_unavailable', message: 'Internal server error' },
    ],
    [
      'a malformed result',
      'GET',
      '/reports/1?do=malformed',
      503,
      { code: 'service_unavailable', message: 'Internal server error' },
    ],
  ])('answers %s with the error of the template', async (_, httpMethod, path, status, error) => {
    const response = await fetch(`${gateway.baseUrl}${path}`, { method: httpMethod });

    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error });
  });

  it('answers 504 when the integration takes longer than it may', async () => {
    const response = await probe(`${gateway.baseUrl}/impatient`, 'hang');

    expect(response.status).toBe(504);
    expect(await response.json()).toEqual({
      error: { code: 'internal_error', message: 'Endpoint request timed out' },
    });
  });

  it('says in the log why a caller got a 503', async () => {
    await fetch(`${gateway.baseUrl}/reports/1?do=throw`);

    expect(gateway.logLines).toContain('Report: Error: report failed');
  });

  it('refuses a body over 10 MB', async () => {
    const response = await fetch(`${gateway.baseUrl}/streams`, {
      method: 'POST',
      body: Buffer.alloc(10 * 1024 * 1024 + 1),
    });

    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({ error: { code: 'bad_request', message: 'Request Too Long' } });
  });

  it('logs method, path, status and time of a request, and nothing more', async () => {
    await fetch(`${gateway.baseUrl}/reports/logged?do=event&secret=1`);

    await expect
      .poll(() => gateway.logLines.find((line) => line.includes('logged')))
      .toMatch(/^GET \/reports\/logged 200 \d+ ms$/);
  });
});

describe.each([
  ['the REST API', () => gateway.baseUrl],
  ['the Function URL', () => gateway.chatUrl],
])('a request to %s that Node.js refuses by itself', (_, url) => {
  async function exchange(request: string): Promise<{ head: string; body: string }> {
    const { hostname, port } = new URL(url());
    const socket = connect(Number(port), hostname);
    socket.end(request);
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    return { head, body };
  }

  it.each([
    ['without HTTP', 'Hello\r\n\r\n', '400 Bad Request', 'The request is not valid HTTP.', null],
    [
      'with a chunk of no size',
      'POST /streams HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnone\r\n',
      '400 Bad Request',
      'The request is not valid HTTP.',
      null,
    ],
    [
      'without a host',
      'GET / HTTP/1.1\r\n\r\n',
      '400 Bad Request',
      'The request has no Host header.',
      'host',
    ],
    [
      'with long headers',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      '431 Request Header Fields Too Large',
      'The headers of the request are larger than 16 KB.',
      null,
    ],
    [
      'with an unknown expectation',
      'GET / HTTP/1.1\r\nHost: x\r\nExpect: a miracle\r\nConnection: close\r\n\r\n',
      '417 Expectation Failed',
      'The only supported value of the Expect header is 100-continue.',
      'expect',
    ],
  ])('is answered with a JSON error: %s', async (_, request, status, message, param) => {
    const { head, body } = await exchange(request);
    const code = status.startsWith('431') ? 'request_too_large' : 'invalid_request_error';

    expect(head.split('\r\n')[0]).toBe(`HTTP/1.1 ${status}`);
    expect(head.toLowerCase()).toContain('content-type: application/json');
    expect(JSON.parse(body)).toEqual({ error: { message, type: 'invalid_request_error', param, code } });
  });
});

describe('the Function URL', () => {
  it('gives the function a proxy event of version 2.0', async () => {
    const response = await probe(`${gateway.chatUrl}/ai/chat?a=1&a=2&b=`, 'event', {
      body: '{"text":"é"}',
      headers: { 'Content-Type': 'application/json', 'X-Custom': 'Yes' },
    });
    const { event, context } = await read<Probed>(response);

    expect(event).toMatchObject({
      version: '2.0',
      routeKey: '$default',
      rawPath: '/ai/chat',
      rawQueryString: 'a=1&a=2&b=',
      queryStringParameters: { a: '1,2', b: '' },
      headers: { 'x-custom': 'Yes', 'content-type': 'application/json', 'x-forwarded-proto': 'http' },
      body: '{"text":"é"}',
      isBase64Encoded: false,
      requestContext: {
        stage: '$default',
        http: { method: 'POST', path: '/ai/chat', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1' },
      },
    });
    expect(context.invokedFunctionArn).toBe(
      'arn:aws:lambda:us-east-1:000000000000:function:Fixture-Probe:live',
    );
    expect(context.awsRequestId).toBe(event.requestContext.requestId);
    expect(context.remainingMs).toBeGreaterThan(5000);
    expect(context.remainingMs).toBeLessThanOrEqual(10_000);
  });

  it('gives a body that is not text in base64', async () => {
    const response = await probe(gateway.chatUrl, 'event', {
      body: Buffer.from([0, 255]),
      headers: { 'content-type': 'application/octet-stream' },
    });

    expect((await read<Probed>(response)).event).toMatchObject({ body: 'AP8=', isBase64Encoded: true });
  });

  it('refuses a body over 6 MB in the shape of OpenAI errors', async () => {
    const response = await probe(gateway.chatUrl, 'event', { body: Buffer.alloc(6 * 1024 * 1024 + 1) });

    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({
      error: {
        message: 'The request is larger than 6 MB.',
        type: 'invalid_request_error',
        param: null,
        code: 'request_too_large',
      },
    });
  });

  it('takes what a function writes without a prelude as the body of a 200', async () => {
    const response = await probe(gateway.chatUrl, 'no prelude');

    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(await response.text()).toBe('raw');
  });
});

describe.each(entrances)('a streaming function behind %s', (_, url, failure) => {
  it('sets status and headers, and each chunk arrives before the next is written', async () => {
    const response = await probe(url(), 'chunk by chunk');
    const reader = (response.body ?? new ReadableStream()).getReader();
    const received: string[] = [];
    for (const chunk of ['one', 'two', 'three']) {
      const { value } = await reader.read();
      received.push(Buffer.from(value).toString());
      const asking = await gateway.desk.take();
      expect(asking.message).toBe(chunk);
      asking.answer();
    }

    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(received).toEqual(['one', 'two', 'three']);
    expect((await reader.read()).done).toBe(true);
  });

  it('learns that its caller went away, and goes on', async () => {
    const caller = new AbortController();
    const response = await probe(url(), 'until the caller goes', { signal: caller.signal });
    await response.body?.getReader().read();
    caller.abort();
    const asking = await gateway.desk.take();
    asking.answer();

    expect(asking.message).toBe('closed, destroyed true');
  });

  it('cuts the connection when it fails after its first byte', async () => {
    const response = await probe(url(), 'fail after the prelude');
    const reader = (response.body ?? new ReadableStream()).getReader();
    await reader.read();
    (await gateway.desk.take()).answer();

    expect(response.status).toBe(200);
    await expect(reader.read()).rejects.toThrow('terminated');
  });

  it.each(['fail before the prelude', 'end without a write', 'crash'])(
    `is answered ${failure.status} when the function should %s`,
    async (behaviour) => {
      const response = await probe(url(), behaviour);

      expect(response.status).toBe(failure.status);
      expect(await response.json()).toEqual(failure.body);
    },
  );

  it('has a new process for the request after one that ended it', async () => {
    const before = await read<{ processId: string }>(await probe(url(), 'process'));
    await probe(url(), 'crash');
    const after = await read<{ processId: string }>(await probe(url(), 'process'));

    expect(after.processId).toMatch(/./);
    expect(after.processId).not.toBe(before.processId);
  });
});
