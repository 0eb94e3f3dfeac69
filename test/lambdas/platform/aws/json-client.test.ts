/** The calls of AWS services, against loopback servers that answer in every way that is not meant to be. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isTransient, ServiceError } from '#lambdas/platform/aws/errors.ts';
import { createJsonService, type JsonService } from '#lambdas/platform/aws/json-client.ts';
import {
  accessTo,
  answer,
  hangUp,
  raw,
  reset,
  type ScriptedService,
  startScriptedService,
  type Turn,
} from '#test/support/scripted-service.ts';

const ok = answer(200, '{"ok":true}');
const refusal = (status: number, type: string) => answer(status, JSON.stringify({ __type: type }));

/** In milliseconds, between two attempts. None is waited for here. */
const waits = vi.hoisted((): number[] => []);
vi.mock('node:timers/promises', () => ({ setTimeout: async (waitMs: number) => void waits.push(waitMs) }));

let service: ScriptedService;
beforeEach(() => {
  waits.length = 0;
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await service?.stop();
});

async function start(...turns: [Turn, ...Turn[]]): Promise<JsonService> {
  service = await startScriptedService(...turns);
  return serviceAt(service.endpoint);
}

function serviceAt(endpoint: string, now = () => new Date()): JsonService {
  return createJsonService({ service: 'dynamodb', access: accessTo(endpoint), now });
}

async function failureOf(calls: JsonService): Promise<ServiceError> {
  const failure: unknown = await calls.call('GetItem', {}).catch((error: unknown) => error);
  if (!(failure instanceof ServiceError)) throw new Error('The call did not fail as it should');
  return failure;
}

describe('a call', () => {
  it('is the JSON of its input, for the action of that name', async () => {
    const calls = await start(ok);
    const input = { TableName: 'Grüße 🙂', Key: { pk: { S: '\ud800' } } };

    expect(await calls.call('GetItem', input)).toEqual({ ok: true });
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

  it('to Secrets Manager is in its version of JSON', async () => {
    await start(ok);
    const access = accessTo(service.endpoint);
    await createJsonService({ service: 'secretsmanager', access, now: () => new Date() }).call(
      'GetSecretValue',
      {},
    );

    expect(service.requests.map(({ headers }) => headers)).toMatchObject([
      { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'secretsmanager.GetSecretValue' },
    ]);
  });

  it('goes over the connection of the one before it', async () => {
    const calls = await start(ok);
    await calls.call('GetItem', {});
    await calls.call('GetItem', {});

    expect([service.requests.length, service.sockets.length]).toEqual([2, 1]);
  });

  it('has an answer of which characters may come in halves', async () => {
    const text = JSON.stringify({ name: 'Grüße 🙂 你好' });
    // Each write is a chunk of its own, however they travel.
    const calls = await start((response) => {
      for (const byte of Buffer.from(text)) response.write(Uint8Array.of(byte));
      response.end();
    });

    expect(JSON.stringify(await calls.call('GetItem', {}))).toBe(text);
  });
});

describe('a call that may succeed the next time', () => {
  it.each([
    ['had no answer', hangUp],
    ['was reset', reset],
    ['had garbage for an answer', raw('SSH-2.0-OpenSSH_9.7\r\n')],
    ['had half an answer', raw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"Item":')],
    [
      'had half of the pieces of an answer',
      raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n'),
    ],
    ['had half an answer that says nothing of its length', raw('HTTP/1.1 200 OK\r\n\r\n{"Item":')],
    ['had an empty answer', answer(200, '')],
    ['had an answer that is no object', answer(200, '[]')],
    ['met a fault', refusal(500, 'com.amazonaws.dynamodb.v20120810#InternalServerError')],
    ['met a fault that is told in HTML', answer(502, '<html>Bad Gateway</html>')],
    ['met a service that is not there', answer(503, '')],
    ['was one of too many', refusal(400, 'com.amazon.coral.availability#ThrottlingException')],
    [
      'was one of too many for the table',
      refusal(400, 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException'),
    ],
    ['was one of too many for the account', refusal(400, 'RequestLimitExceeded')],
  ])('is made again when it %s', async (_, turn) => {
    const calls = await start(turn, turn, ok);

    expect(await calls.call('GetItem', {})).toEqual({ ok: true });
    expect(service.requests).toHaveLength(3);
    expect(waits).toEqual([50, 100]);
  });

  it.each([
    ['was reset', reset, 'ECONNRESET', {}],
    ['had half an answer', raw('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{'), 'ECONNRESET', {}],
    ['had an empty answer', answer(200, ''), 'TruncatedResponse', { httpStatusCode: 200 }],
    ['met a fault', refusal(500, 'x#InternalServerError'), 'InternalServerError', { httpStatusCode: 500 }],
    ['met HTML', answer(502, '<html>'), 'UnknownError', { httpStatusCode: 502 }],
    [
      'was one of too many',
      refusal(400, 'x#ThrottlingException'),
      'ThrottlingException',
      { httpStatusCode: 400 },
    ],
  ])('is given up when it %s three times', async (_, turn, name, $metadata) => {
    const failure = await failureOf(await start(turn));

    expect(failure).toMatchObject({ name, $metadata, message: 'The call to the AWS service failed' });
    expect(isTransient(failure)).toBe(true);
    expect(service.requests).toHaveLength(3);
  });

  it('is signed anew each time', async () => {
    service = await startScriptedService(reset, ok);
    const times = [0, 0, 1000, 1000, 2000].map((ms) => new Date(ms));
    await serviceAt(service.endpoint, () => times.shift() ?? new Date(3000)).call('GetItem', {});
    const [first, second] = service.requests.map(({ headers }) => headers);

    expect([first?.['x-amz-date'], second?.['x-amz-date']]).toEqual(['19700101T000000Z', '19700101T000001Z']);
    expect(first?.authorization).not.toBe(second?.authorization);
  });

  it('finds nobody, and says so', async () => {
    const calls = await start(ok);
    await service.stop();
    const failure = await failureOf(calls);
    service = await startScriptedService(ok);

    expect(failure).toMatchObject({ name: 'ECONNREFUSED', $metadata: {} });
    expect(isTransient(failure)).toBe(true);
  });
});

describe('a call that was wrong', () => {
  it.each([
    ['DynamoDB', 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException', 'ResourceNotFoundException'],
    ['its front', 'com.amazon.coral.service#AccessDeniedException', 'AccessDeniedException'],
    ['Secrets Manager', 'ResourceNotFoundException', 'ResourceNotFoundException'],
  ])('is made once, and is told as %s tells it', async (_, type, name) => {
    const failure = await failureOf(await start(refusal(400, type), ok));

    expect(failure).toMatchObject({ name, $metadata: { httpStatusCode: 400 }, reason: { __type: type } });
    expect(isTransient(failure)).toBe(false);
    expect([service.requests.length, waits]).toEqual([1, []]);
  });

  it.each([
    ['too large, and is told so without a word', 413, ''],
    ['somewhere else', 307, '<html>'],
    ['not allowed, and is told so in a text', 403, '"Forbidden"'],
  ])('is made once when it is %s', async (_, status, body) => {
    const failure = await failureOf(await start(answer(status, body, { location: '/' }), ok));

    expect(failure).toMatchObject({
      name: 'UnknownError',
      $metadata: { httpStatusCode: status },
      reason: {},
    });
    expect(isTransient(failure)).toBe(false);
    expect(service.requests).toHaveLength(1);
  });
});
