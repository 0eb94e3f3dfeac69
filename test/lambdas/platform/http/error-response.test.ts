import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { renderError, toGatewayError } from '#lambdas/platform/http/error-response.ts';
import { unreachableClient } from '#test/support/dynamodb/unreachable-client.ts';
import type { LogLine } from '#test/support/log-lines.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';

let lines: LogLine[];
beforeEach(() => {
  lines = recordLogLines();
});

function sdkError(name: string, metadata: object): Error {
  return Object.assign(new Error('a prompt'), { name, $metadata: metadata });
}

const internal = { status: 500, code: 'internal_error' };
const unavailable = { status: 503, code: 'service_unavailable', headers: { 'retry-after': '1' } };

describe('toGatewayError', () => {
  it('returns a GatewayError unchanged and does not log it', () => {
    const error = new GatewayError('not_found', { message: 'no' });
    expect(toGatewayError(error)).toBe(error);
    expect(lines).toEqual([]);
  });

  it('does not show the message of an unexpected error', () => {
    const { body } = renderError(toGatewayError(new TypeError('a prompt')));
    expect(JSON.parse(body).error).toEqual({
      message: 'The gateway failed to handle the request',
      type: 'api_error',
      param: null,
      code: 'internal_error',
    });
  });

  it.each([
    ['a timeout', sdkError('TimeoutError', { attempts: 3 })],
    ['an abort', sdkError('AbortError', { attempts: 1 })],
    ['a 500', sdkError('InternalServerError', { httpStatusCode: 500 })],
    ['a 503', sdkError('ServiceUnavailable', { httpStatusCode: 503 })],
    ['throttling', sdkError('ThrottlingException', { httpStatusCode: 400 })],
    ['throttling by a table', sdkError('ProvisionedThroughputExceededException', { httpStatusCode: 400 })],
    ['throttling by a queue', sdkError('RequestThrottled', { httpStatusCode: 400 })],
    ['throttling by the account', sdkError('RequestLimitExceeded', { httpStatusCode: 400 })],
  ])('returns 503 when an AWS call fails with %s', (_case, error) => {
    expect(toGatewayError(error)).toMatchObject(unavailable);
    expect(lines).toEqual([
      { level: 'ERROR', event: 'service_unavailable', error: error.name, code: null, at: expect.any(String) },
    ]);
  });

  it.each([
    ['a denied AWS call', sdkError('AccessDeniedException', { httpStatusCode: 400 })],
    ['an invalid AWS call', sdkError('ValidationException', { httpStatusCode: 400 })],
    ['an AWS call for a missing table', sdkError('ResourceNotFoundException', { httpStatusCode: 400 })],
    ['a timeout outside AWS calls', Object.assign(new Error('late'), { name: 'TimeoutError' })],
    ['a refused connection outside AWS calls', Object.assign(new Error('no'), { code: 'ECONNREFUSED' })],
  ])('returns 500 for %s', (_case, error) => {
    expect(toGatewayError(error)).toMatchObject(internal);
    expect(lines).toMatchObject([{ event: 'unexpected_error', error: error.name }]);
  });

  it('returns 503 when the AWS SDK cannot connect to DynamoDB', async () => {
    const client = await unreachableClient();
    const command = new GetItemCommand({ TableName: 'Directory', Key: { pk: { S: 'x' }, sk: { S: 'y' } } });
    const error: unknown = await client.send(command).catch((thrown: unknown) => thrown);
    expect(toGatewayError(error)).toMatchObject(unavailable);
    expect(lines).toMatchObject([{ event: 'service_unavailable', code: 'ECONNREFUSED' }]);
  });
});

describe('The metric InternalErrors', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.resetModules();
  });

  it('is on the lines of errors that callers get, but not of others', async () => {
    vi.stubEnv('MONITORING', 'alarms');
    vi.resetModules();
    const module = await import('#lambdas/platform/http/error-response.ts');

    module.toGatewayError(new TypeError('a prompt'));
    module.toGatewayError(sdkError('TimeoutError', { attempts: 3 }));
    module.logUnexpected(new TypeError('a prompt'));

    expect(lines.map(({ event, InternalErrors }) => [event, InternalErrors])).toEqual([
      ['unexpected_error', 1],
      ['service_unavailable', 1],
      ['unexpected_error', undefined],
    ]);
  });
});

describe('Log line of an unexpected error', () => {
  const thisFile = expect.stringMatching(/^error-response\.test\.ts:\d+:\d+$/);

  it('logs name, code and location of an error, but not its message', () => {
    toGatewayError(Object.assign(new RangeError('a prompt'), { code: 'ERR_OUT_OF_RANGE' }));
    expect(lines).toEqual([
      {
        level: 'ERROR',
        event: 'unexpected_error',
        error: 'RangeError',
        code: 'ERR_OUT_OF_RANGE',
        at: thisFile,
      },
    ]);
  });

  it.each([
    'a\n    at secret (/prompt.ts:1:2)',
    '\n    at /prompt.ts:1:2\n',
    'prompt.ts:1:2',
    ')\nat prompt.ts:1:2)',
  ])('does not mistake the message %j for a stack frame', (message) => {
    toGatewayError(new Error(message));
    expect(lines).toMatchObject([{ at: thisFile }]);
  });

  it('logs no location when the message was changed, since the stack still contains the old message', () => {
    const stack = 'Error: x\n    at prompt.ts:1:2\n    at file.ts:3:4';
    toGatewayError(Object.assign(new Error('another'), { stack }));
    expect(lines).toMatchObject([{ at: null }]);
  });

  it.each(['', 'Error: x\n    at async Promise.all (index 0)'])(
    'logs no location for the stack %j',
    (stack) => {
      toGatewayError(Object.assign(new Error('x'), { stack }));
      expect(lines).toMatchObject([{ at: null }]);
    },
  );

  it.each([['a prompt'], [undefined], [null], [{ message: 'a prompt' }]])(
    'logs only the type of %j, which is not an Error',
    (thrown) => {
      toGatewayError(thrown);
      expect(lines).toEqual([
        { level: 'ERROR', event: 'unexpected_error', error: typeof thrown, code: null, at: null },
      ]);
    },
  );
});
