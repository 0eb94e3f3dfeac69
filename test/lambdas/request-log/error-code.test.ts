import { describe, expect, it } from 'vitest';
import {
  countedErrorCode,
  isCountedErrorCode,
  matchesErrorCode,
  namedErrorCodes,
} from '#lambdas/request-log/error-code.ts';
import { fc } from '#test/support/fast-check.ts';

const name = fc.constantFrom(...namedErrorCodes);
const status = fc.integer({ min: 100, max: 599 });
const code = fc.oneof(
  name,
  status.map((number) => `provider:${number}`),
  fc.constantFrom(
    'E1',
    '',
    'INSUFFICIENT_QUOTA',
    'insufficient_quota ',
    'provider:',
    'provider:2000',
    'toString',
  ),
  fc.string(),
);
const entry = fc.record({ error_code: fc.option(code), status });

describe('Counted error codes', () => {
  it('counts codes of the gateway and of OpenAI under their names, whatever the status', () => {
    expect(countedErrorCode({ error_code: 'invalid_request_error', status: 400 })).toBe(
      'invalid_request_error',
    );
    expect(countedErrorCode({ error_code: 'insufficient_quota', status: 429 })).toBe('insufficient_quota');
    expect(countedErrorCode({ error_code: 'context_length_exceeded', status: 200 })).toBe(
      'context_length_exceeded',
    );
    expect(countedErrorCode({ error_code: 'interrupted', status: 502 })).toBe('interrupted');
  });

  it('counts other codes under the status of the response', () => {
    expect(countedErrorCode({ error_code: 'overloaded_error', status: 503 })).toBe('provider:503');
    expect(countedErrorCode({ error_code: 'overloaded_error', status: 200 })).toBe('provider:200');
    expect(countedErrorCode({ error_code: 'provider:429', status: 502 })).toBe('provider:502');
  });

  it('counts nothing without an error', () => {
    expect(countedErrorCode({ error_code: null, status: 200 })).toBeNull();
  });

  it('has at most as many names as a DynamoDB `IN` takes, each once', () => {
    expect(namedErrorCodes.length).toBeLessThanOrEqual(100);
    expect(new Set(namedErrorCodes).size).toBe(namedErrorCodes.length);
  });

  it('recognizes names, and provider: with three digits', () => {
    for (const text of ['not_found', 'server_error', 'interrupted', 'provider:200', 'provider:529']) {
      expect(isCountedErrorCode(text)).toBe(true);
    }
    for (const text of [
      '',
      'E1',
      'Not_found',
      'provider:',
      'provider:20',
      'provider:2000',
      'provider:200\n',
    ]) {
      expect(isCountedErrorCode(text)).toBe(false);
    }
  });

  it('matches a counted code with the counted code, and another text with the code of the entry', () => {
    const overloaded = { error_code: 'overloaded_error', status: 503 };
    expect(matchesErrorCode(overloaded, 'provider:503')).toBe(true);
    expect(matchesErrorCode(overloaded, 'overloaded_error')).toBe(true);
    expect(matchesErrorCode(overloaded, 'provider:502')).toBe(false);
    expect(matchesErrorCode(overloaded, 'server_error')).toBe(false);
    expect(matchesErrorCode({ error_code: 'provider:503', status: 502 }, 'provider:503')).toBe(false);
    expect(matchesErrorCode({ error_code: null, status: 503 }, 'provider:503')).toBe(false);
  });

  it('counts every error under exactly one code, by which alone it is found', () => {
    const statuses = Array.from({ length: 500 }, (_, index) => `provider:${index + 100}`);
    const countedCodes = [...namedErrorCodes, ...statuses];
    fc.assert(
      fc.property(entry, (error) => {
        const counted = countedErrorCode(error);
        expect(countedCodes.filter((candidate) => matchesErrorCode(error, candidate))).toEqual(
          error.error_code === null ? [] : [counted],
        );
        expect(counted === null || isCountedErrorCode(counted)).toBe(true);
      }),
    );
  });

  it('finds an error by its own code too, unless errors are counted under that text', () => {
    fc.assert(
      fc.property(entry, code, (error, other) => {
        fc.pre(!isCountedErrorCode(other));
        expect(matchesErrorCode({ ...error, error_code: other }, other)).toBe(true);
        expect(matchesErrorCode(error, other)).toBe(error.error_code === other);
      }),
    );
  });
});
