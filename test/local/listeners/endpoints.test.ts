import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { APIGatewayProxyEvent, LambdaFunctionURLEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayFixture, probe, read, startGatewayFixture } from '../gateway-fixture.ts';

let gateway: GatewayFixture;

beforeAll(async () => {
  gateway = await startGatewayFixture();
});

afterAll(() => gateway.stop());

/** Response body of the behaviour `event`. */
interface ProbeResult {
  event: LambdaFunctionURLEvent;
  context: { awsRequestId: string; invokedFunctionArn: string; remainingMs: number };
}

const endpoints = [
  [
    'the REST API',
    () => `${gateway.baseUrl}/streams`,
    { status: 503, body: { error: { code: 'service_unavailable', message: 'Internal server error' } } },
  ],
  ['the function URL', () => gateway.chatUrl, { status: 502, body: { message: 'Internal Server Error' } }],
] as const;

const megabyte = 1024 * 1024;

/** More than Lambda's limit of 6 MB for events. */
const largeBodies = [
  ['a body larger than 6 MB', 'a'.repeat(6 * megabyte + 1)],
  ['a smaller body that is larger as a JSON string', '"'.repeat(3 * megabyte)],
] as const;

describe('Buffered routes of the REST API', () => {
  it('passes a proxy event of version 1.0 to the function', async () => {
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
    ['a method of a MOCK integration', 'PUT', '/reports/1', 405, { code: 'method_not_allowed' }],
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
  ])('returns the gateway response of the template for %s', async (_, httpMethod, path, status, error) => {
    const response = await fetch(`${gateway.baseUrl}${path}`, { method: httpMethod });

    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error });
  });

  it('returns 504 when the integration times out', async () => {
    const response = await probe(`${gateway.baseUrl}/impatient`, 'hang');

    expect(response.status).toBe(504);
    expect(await response.json()).toEqual({
      error: { code: 'internal_error', message: 'Endpoint request timed out' },
    });
  });

  it('logs the cause of a 503 response', async () => {
    await fetch(`${gateway.baseUrl}/reports/1?do=throw`);

    expect(gateway.logLines).toContain('Report: Error: report failed');
  });

  it.each([...largeBodies, ['a body larger than 10 MB', Buffer.alloc(10 * megabyte + 1)] as const])(
    'returns the gateway response of the template for %s',
    async (_, body) => {
      const response = await fetch(`${gateway.baseUrl}/streams`, { method: 'POST', body });

      expect(response.status).toBe(413);
      expect(await response.json()).toEqual({ error: { code: 'bad_request', message: 'Request Too Long' } });
    },
  );

  it('logs only method, path, status and duration of a request', async () => {
    await fetch(`${gateway.baseUrl}/reports/logged?do=event&secret=1`);

    await expect
      .poll(() => gateway.logLines.find((line) => line.includes('logged')))
      .toMatch(/^GET \/reports\/logged 200 \d+ ms$/);
  });
});

describe.each([
  ['the REST API', () => gateway.baseUrl],
  ['the function URL', () => gateway.chatUrl],
])('Invalid HTTP requests to %s', (_, url) => {
  async function exchange(request: string): Promise<{ head: string; body: string }> {
    const { hostname, port } = new URL(url());
    const socket = connect(Number(port), hostname);
    socket.end(request);
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    return { head, body };
  }

  it.each([
    [
      'without a valid request line',
      'Hello\r\n\r\n',
      '400 Bad Request',
      'The request is not valid HTTP.',
      null,
    ],
    [
      'with an invalid chunk size',
      'POST /streams HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnone\r\n',
      '400 Bad Request',
      'The request is not valid HTTP.',
      null,
    ],
    [
      'without a Host header',
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
      'with an unsupported Expect header',
      'GET / HTTP/1.1\r\nHost: x\r\nExpect: a miracle\r\nConnection: close\r\n\r\n',
      '417 Expectation Failed',
      'The only supported value of the Expect header is 100-continue.',
      'expect',
    ],
  ])('returns a JSON error for a request %s', async (_, request, status, message, param) => {
    const { head, body } = await exchange(request);
    const code = status.startsWith('431') ? 'request_too_large' : 'invalid_request_error';

    expect(head.split('\r\n')[0]).toBe(`HTTP/1.1 ${status}`);
    expect(head.toLowerCase()).toContain('content-type: application/json');
    expect(JSON.parse(body)).toEqual({ error: { message, type: 'invalid_request_error', param, code } });
  });
});

describe('Function URL', () => {
  it('passes a proxy event of version 2.0 to the function', async () => {
    const response = await probe(`${gateway.chatUrl}/ai/chat?a=1&a=2&b=`, 'event', {
      body: '{"text":"é"}',
      headers: { 'Content-Type': 'application/json', 'X-Custom': 'Yes' },
    });
    const { event, context } = await read<ProbeResult>(response);

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

  it('passes a binary body in base64', async () => {
    const response = await probe(gateway.chatUrl, 'event', {
      body: Buffer.from([0, 255]),
      headers: { 'content-type': 'application/octet-stream' },
    });

    expect((await read<ProbeResult>(response)).event).toMatchObject({ body: 'AP8=', isBase64Encoded: true });
  });

  it.each(largeBodies)('returns the 413 of Lambda for %s', async (_, body) => {
    const response = await probe(gateway.chatUrl, 'event', { body });

    expect(response.status).toBe(413);
    expect(response.headers.get('x-amzn-errortype')).toBe('RequestEntityTooLargeException');
    expect(await response.text()).toBe(
      '{"Message":"Request must be smaller than 6291456 bytes for the InvokeFunction operation"}',
    );
  });

  it('returns 200 with the output of a function that writes no prelude', async () => {
    const response = await probe(gateway.chatUrl, 'no prelude');

    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(await response.text()).toBe('raw');
  });
});

describe.each(endpoints)('Streaming function behind %s', (_, url, failure) => {
  it('has its reserved response headers renamed or dropped', async () => {
    const { headers } = await probe(url(), 'reserved headers');

    expect(headers.get('x-amzn-remapped-www-authenticate')).toBe('Bearer');
    expect(headers.get('x-amzn-remapped-date')).toBe('yesterday');
    expect(['www-authenticate', 'proxy-authenticate', 'via'].filter((name) => headers.has(name))).toEqual([]);
    expect(headers.get('date')).toMatch(/ GMT$/);
  });

  it('sends status, headers and each chunk before the function writes the next', async () => {
    const response = await probe(url(), 'chunk by chunk');
    const reader = (response.body ?? new ReadableStream()).getReader();
    const received: string[] = [];
    for (const chunk of ['one', 'two', 'three']) {
      const { value } = await reader.read();
      received.push(Buffer.from(value).toString());
      const call = await gateway.invocations.next();
      expect(call.message).toBe(chunk);
      call.respond();
    }

    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(received).toEqual(['one', 'two', 'three']);
    expect((await reader.read()).done).toBe(true);
  });

  it('lets the function write to its end when the client disconnects, as AWS does', async () => {
    const controller = new AbortController();
    const response = await probe(url(), 'write after a hang-up', { signal: controller.signal });
    await response.body?.getReader().read();
    const incompleteRequests = () => gateway.logLines.filter((line) => line.endsWith('(incomplete)')).length;
    const before = incompleteRequests();
    controller.abort();
    await expect.poll(incompleteRequests).toBe(before + 1);
    (await gateway.invocations.next()).respond();
    const call = await gateway.invocations.next();
    call.respond();

    expect(call.message).toBe('finished true');
  });

  it('closes the connection when the function fails after its first byte', async () => {
    const response = await probe(url(), 'fail after the prelude');
    const reader = (response.body ?? new ReadableStream()).getReader();
    await reader.read();
    (await gateway.invocations.next()).respond();

    expect(response.status).toBe(200);
    await expect(reader.read()).rejects.toThrow('terminated');
  });

  it.each(['fail before the prelude', 'end without a write', 'crash'])(
    `returns ${failure.status} for a function with the behaviour: %s`,
    async (behaviour) => {
      const response = await probe(url(), behaviour);

      expect(response.status).toBe(failure.status);
      expect(await response.json()).toEqual(failure.body);
    },
  );

  it('starts a new process after the previous one has crashed', async () => {
    const before = await read<{ processId: string }>(await probe(url(), 'process'));
    await probe(url(), 'crash');
    const after = await read<{ processId: string }>(await probe(url(), 'process'));

    expect(after.processId).toMatch(/./);
    expect(after.processId).not.toBe(before.processId);
  });
});
