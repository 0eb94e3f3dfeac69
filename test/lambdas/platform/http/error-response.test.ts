import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { asGatewayError, renderError } from '#lambdas/platform/http/error-response.ts';
import { unreachableClient } from '#test/support/unreachable-client.ts';

let lines: MockInstance<typeof console.error>;
beforeEach(() => {
  lines = vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => lines.mockRestore());

const logged = () => lines.mock.calls.map(([line]) => JSON.parse(String(line)));

/** An error as the AWS SDK throws it. */
function sdkError(name: string, metadata: object): Error {
  return Object.assign(new Error('a prompt'), { name, $metadata: metadata });
}

const internal = { status: 500, code: 'internal_error' };
const unavailable = { status: 503, code: 'service_unavailable', headers: { 'retry-after': '1' } };

describe('an error as the caller sees it', () => {
  it('is itself when it was meant for the caller, and is not logged', () => {
    const error = new GatewayError('not_found', { message: 'no' });
    expect(asGatewayError(error)).toBe(error);
    expect(lines).not.toHaveBeenCalled();
  });

  it('says nothing of what went wrong inside', () => {
    const { body } = renderError(asGatewayError(new TypeError('a prompt')));
    expect(JSON.parse(body).error).toEqual({
      message: 'The gateway failed to handle the request',
      type: 'api_error',
      param: null,
      code: 'internal_error',
    });
  });

  it.each([
    ['without an answer', sdkError('TimeoutError', { attempts: 3 })],
    ['given up', sdkError('AbortError', { attempts: 1 })],
    ['answered 500', sdkError('InternalServerError', { httpStatusCode: 500 })],
    ['answered 503', sdkError('ServiceUnavailable', { httpStatusCode: 503 })],
    ['throttled', sdkError('ThrottlingException', { httpStatusCode: 400 })],
    ['throttled by its table', sdkError('ProvisionedThroughputExceededException', { httpStatusCode: 400 })],
    ['throttled by its queue', sdkError('RequestThrottled', { httpStatusCode: 400 })],
    ['throttled by the account', sdkError('RequestLimitExceeded', { httpStatusCode: 400 })],
  ])('says 503 when a call of AWS was %s', (_case, error) => {
    expect(asGatewayError(error)).toMatchObject(unavailable);
    expect(logged()).toEqual([
      { level: 'ERROR', event: 'service_unavailable', error: error.name, code: null, at: expect.any(String) },
    ]);
  });

  it.each([
    ['that was not allowed', sdkError('AccessDeniedException', { httpStatusCode: 400 })],
    ['that was wrong', sdkError('ValidationException', { httpStatusCode: 400 })],
    ['of a table that is not there', sdkError('ResourceNotFoundException', { httpStatusCode: 400 })],
    ['of something else, that timed out', Object.assign(new Error('late'), { name: 'TimeoutError' })],
    ['of something else, that was refused', Object.assign(new Error('no'), { code: 'ECONNREFUSED' })],
  ])('says 500 of a call %s', (_case, error) => {
    expect(asGatewayError(error)).toMatchObject(internal);
    expect(logged()).toMatchObject([{ event: 'unexpected_error', error: error.name }]);
  });

  it('says 503 when nothing listens where the table should be, as the real client finds it', async () => {
    const client = await unreachableClient();
    const command = new GetItemCommand({ TableName: 'Directory', Key: { pk: { S: 'x' }, sk: { S: 'y' } } });
    const error: unknown = await client.send(command).catch((thrown: unknown) => thrown);
    expect(asGatewayError(error)).toMatchObject(unavailable);
    expect(logged()).toMatchObject([{ event: 'service_unavailable', code: 'ECONNREFUSED' }]);
  });
});

describe('the log line of an error', () => {
  const ownPlace = expect.stringMatching(/^error-response\.test\.ts:\d+:\d+$/);

  it('has the kind of error and where it was thrown, and not its message', () => {
    asGatewayError(Object.assign(new RangeError('a prompt'), { code: 'ERR_OUT_OF_RANGE' }));
    expect(logged()).toEqual([
      {
        level: 'ERROR',
        event: 'unexpected_error',
        error: 'RangeError',
        code: 'ERR_OUT_OF_RANGE',
        at: ownPlace,
      },
    ]);
  });

  it.each([
    'a\n    at secret (/prompt.ts:1:2)',
    '\n    at /prompt.ts:1:2\n',
    'prompt.ts:1:2',
    ')\nat prompt.ts:1:2)',
  ])('takes nothing of the message %j for a place', (message) => {
    asGatewayError(new Error(message));
    expect(logged()).toMatchObject([{ at: ownPlace }]);
  });

  it('names no place when the message was changed, since the stack still has the old one', () => {
    const stack = 'Error: x\n    at prompt.ts:1:2\n    at file.ts:3:4';
    asGatewayError(Object.assign(new Error('another'), { stack }));
    expect(logged()).toMatchObject([{ at: null }]);
  });

  it.each(['', 'Error: x\n    at async Promise.all (index 0)'])('names no place of the stack %j', (stack) => {
    asGatewayError(Object.assign(new Error('x'), { stack }));
    expect(logged()).toMatchObject([{ at: null }]);
  });

  it.each([['a prompt'], [undefined], [null], [{ message: 'a prompt' }]])(
    'says of %j, which is no error, its type alone',
    (thrown) => {
      asGatewayError(thrown);
      expect(logged()).toEqual([
        { level: 'ERROR', event: 'unexpected_error', error: typeof thrown, code: null, at: null },
      ]);
    },
  );
});
