/** How long to wait before a refused request is sent again; `retries.test.ts` sends them. */
import { describe, expect, it } from 'vitest';
import { retryWaitMs } from '#lambdas/inference/chat/send.ts';
import { ConnectError } from '#lambdas/inference/providers/http/failures.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';

const error = new GatewayError('rate_limit_exceeded', { message: 'Slow down' });
const limits = { retryAfterMs: 2000 };

describe('the wait before a retry', () => {
  it.each<[number | null, number | null, number | null]>([
    [429, 0, 0],
    [429, 2000, 2000],
    [429, 2001, null],
    [429, null, null],
    [503, 0, 0],
    [400, 0, null],
    [401, 0, null],
    [500, 0, null],
    [502, 0, null],
    [504, 0, null],
    [529, 0, null],
    [null, 0, null],
  ])('after the status %j that asks for %j ms is %j', (status, retryAfterMs, wait) => {
    expect(retryWaitMs({ status, error, retryAfterMs }, limits)).toBe(wait);
  });

  it.each([
    'insufficient_quota',
    'exceeded_current_quota_error',
    'billing_hard_limit_reached',
    'CREDIT_LIMIT',
  ])('does not exist where the account is empty: %s', (providerCode) => {
    const empty = new GatewayError('rate_limit_exceeded', { message: 'No', providerCode });
    expect(retryWaitMs({ status: 429, error: empty, retryAfterMs: 0 }, limits)).toBeNull();
  });

  it('is a moment of our own when the provider was not reached, whatever the limit', () => {
    const refused = new ConnectError(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 100);
    expect(retryWaitMs({ status: null, error: refused, retryAfterMs: null }, { retryAfterMs: 0 })).toBe(100);
  });
});
