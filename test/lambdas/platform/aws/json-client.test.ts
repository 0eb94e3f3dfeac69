import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isTransient, ServiceError } from '#lambdas/platform/aws/errors.ts';
import { createJsonService, type JsonService } from '#lambdas/platform/aws/json-client.ts';
import {
  awsAccessAt,
  closeConnection,
  type Responder,
  resetConnection,
  respondWith,
  type ScriptedService,
  sendRaw,
  startScriptedService,
} from '#test/support/aws/scripted-service.ts';

const ok = respondWith(200, '{"ok":true}');
const errorResponse = (status: number, type: string) => respondWith(status, JSON.stringify({ __type: type }));

/** Delays between attempts are recorded, not waited for. */
const delaysMs = vi.hoisted((): number[] => []);
vi.mock('node:timers/promises', () => ({ setTimeout: async (ms: number) => void delaysMs.push(ms) }));

let service: ScriptedService;
beforeEach(() => {
  delaysMs.length = 0;
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await service?.stop();
});

async function start(...responders: [Responder, ...Responder[]]): Promise<JsonService> {
  service = await startScriptedService(...responders);
  return serviceAt(service.endpoint);
}

function serviceAt(endpoint: string, now = () => new Date()): JsonService {
  return createJsonService({ service: 'dynamodb', access: awsAccessAt(endpoint), now });
}

async function failureOf(client: JsonService): Promise<ServiceError> {
  const failure: unknown = await client.call('GetItem', {}).catch((error: unknown) => error);
  if (!(failure instanceof ServiceError)) throw new Error('The call did not reject with a ServiceError');
  return failure;
}

describe('createJsonService', () => {
  it('posts the input as JSON, with the operation in x-amz-target', async () => {
    const client = await start(ok);
    const input = { TableName: 'Grüße 🙂', Key: { pk: { S: '\ud800' } } };

    expect(await client.call('GetItem', input)).toEqual({ ok: true });
    expect(service.requests).toEqual([
      {
        method: 'POST',
        url: '/',
        headers: {
          host: service.endpoint.replace('http://', ''),
          'content-type': 'application/x-amz-json-1.0',
          'content-length': '56',
          'x-amz-date': expect.stringMatching(/^\d{8}T\d{6}Z$/),
          'x-amz-target': 'DynamoDB_20120810.GetItem',
          authorization: expect.stringContaining('/us-east-1/dynamodb/aws4_request'),
          connection: 'keep-alive',
        },
        body: String.raw`{"TableName":"Grüße 🙂","Key":{"pk":{"S":"\ud800"}}}`,
      },
    ]);
  });

  it('uses JSON protocol 1.1 for Secrets Manager', async () => {
    await start(ok);
    const access = awsAccessAt(service.endpoint);
    await createJsonService({ service: 'secretsmanager', access, now: () => new Date() }).call(
      'GetSecretValue',
      {},
    );

    expect(service.requests.map(({ headers }) => headers)).toMatchObject([
      { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'secretsmanager.GetSecretValue' },
    ]);
  });

  it('reuses the connection for the next call', async () => {
    const client = await start(ok);
    await client.call('GetItem', {});
    await client.call('GetItem', {});

    expect([service.requests.length, service.sockets.length]).toEqual([2, 1]);
  });

  it('decodes characters that are split between chunks', async () => {
    const text = JSON.stringify({ name: 'Grüße 🙂 你好' });
    // Each write is a separate chunk, regardless of packets.
    const client = await start((response) => {
      for (const byte of Buffer.from(text)) response.write(Uint8Array.of(byte));
      response.end();
    });

    expect(JSON.stringify(await client.call('GetItem', {}))).toBe(text);
  });
});

describe('Transient errors', () => {
  it.each([
    ['no response', closeConnection],
    ['a connection reset', resetConnection],
    ['a response that is not HTTP', sendRaw('SSH-2.0-OpenSSH_9.7\r\n')],
    ['a truncated response', sendRaw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"Item":')],
    [
      'a truncated chunked response',
      sendRaw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n'),
    ],
    ['a truncated response without content-length', sendRaw('HTTP/1.1 200 OK\r\n\r\n{"Item":')],
    ['an empty response', respondWith(200, '')],
    ['a response that is not an object', respondWith(200, '[]')],
    ['a 500', errorResponse(500, 'com.amazonaws.dynamodb.v20120810#InternalServerError')],
    ['a 502 with an HTML body', respondWith(502, '<html>Bad Gateway</html>')],
    ['a 503 with an empty body', respondWith(503, '')],
    ['throttling', errorResponse(400, 'com.amazon.coral.availability#ThrottlingException')],
    [
      'throttling by the table',
      errorResponse(400, 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException'),
    ],
    ['throttling by the account', errorResponse(400, 'RequestLimitExceeded')],
  ])('retries twice with backoff after %s', async (_, responder) => {
    const client = await start(responder, responder, ok);

    expect(await client.call('GetItem', {})).toEqual({ ok: true });
    expect(service.requests).toHaveLength(3);
    expect(delaysMs).toEqual([50, 100]);
  });

  it.each([
    ['connection resets', resetConnection, 'ECONNRESET', {}],
    ['truncated responses', sendRaw('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{'), 'ECONNRESET', {}],
    ['empty responses', respondWith(200, ''), 'TruncatedResponse', { httpStatusCode: 200 }],
    [
      'server errors',
      errorResponse(500, 'x#InternalServerError'),
      'InternalServerError',
      { httpStatusCode: 500 },
    ],
    ['HTML error pages', respondWith(502, '<html>'), 'UnknownError', { httpStatusCode: 502 }],
    [
      'throttling errors',
      errorResponse(400, 'x#ThrottlingException'),
      'ThrottlingException',
      { httpStatusCode: 400 },
    ],
  ])('rejects with a transient ServiceError after three %s', async (_, responder, name, $metadata) => {
    const failure = await failureOf(await start(responder));

    expect(failure).toMatchObject({ name, $metadata, message: 'The call to the AWS service failed' });
    expect(isTransient(failure)).toBe(true);
    expect(service.requests).toHaveLength(3);
  });

  it('signs each retry again', async () => {
    service = await startScriptedService(resetConnection, ok);
    const times = [0, 0, 1000, 1000, 2000].map((ms) => new Date(ms));
    await serviceAt(service.endpoint, () => times.shift() ?? new Date(3000)).call('GetItem', {});
    const [first, second] = service.requests.map(({ headers }) => headers);

    expect([first?.['x-amz-date'], second?.['x-amz-date']]).toEqual(['19700101T000000Z', '19700101T000001Z']);
    expect(first?.authorization).not.toBe(second?.authorization);
  });

  it('rejects with a transient ECONNREFUSED when nothing listens at the endpoint', async () => {
    const client = await start(ok);
    await service.stop();
    const failure = await failureOf(client);
    service = await startScriptedService(ok);

    expect(failure).toMatchObject({ name: 'ECONNREFUSED', $metadata: {} });
    expect(isTransient(failure)).toBe(true);
  });
});

describe("Retries of calls that are repeated only if the service has rejected them: 'throttled'", () => {
  it.each([
    ['a connection reset', resetConnection],
    ['a truncated response', sendRaw('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{')],
    ['an empty response', respondWith(200, '')],
    ['a 500', errorResponse(500, 'x#InternalServerError')],
  ])('does not retry after %s', async (_, responder) => {
    const client = await start(responder, ok);

    await expect(client.call('UpdateItem', {}, 2000, 'throttled')).rejects.toThrow(ServiceError);
    expect(service.requests).toHaveLength(1);
  });

  it('retries after throttling', async () => {
    const throttling = errorResponse(400, 'x#ThrottlingException');
    const client = await start(throttling, throttling, ok);

    expect(await client.call('UpdateItem', {}, 2000, 'throttled')).toEqual({ ok: true });
    expect(service.requests).toHaveLength(3);
  });
});

describe('Permanent errors', () => {
  it.each([
    ['DynamoDB', 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException', 'ResourceNotFoundException'],
    ['the API front end', 'com.amazon.coral.service#AccessDeniedException', 'AccessDeniedException'],
    ['Secrets Manager', 'ResourceNotFoundException', 'ResourceNotFoundException'],
  ])('reads the error name of %s and does not retry', async (_, type, name) => {
    const failure = await failureOf(await start(errorResponse(400, type), ok));

    expect(failure).toMatchObject({ name, $metadata: { httpStatusCode: 400 }, body: { __type: type } });
    expect(isTransient(failure)).toBe(false);
    expect([service.requests.length, delaysMs]).toEqual([1, []]);
  });

  it.each([
    ['413 with an empty body', 413, ''],
    ['307 with an HTML body', 307, '<html>'],
    ['403 with a JSON string as body', 403, '"Forbidden"'],
  ])('does not retry after a %s', async (_, status, body) => {
    const failure = await failureOf(await start(respondWith(status, body, { location: '/' }), ok));

    expect(failure).toMatchObject({
      name: 'UnknownError',
      $metadata: { httpStatusCode: status },
      body: {},
    });
    expect(isTransient(failure)).toBe(false);
    expect(service.requests).toHaveLength(1);
  });
});
