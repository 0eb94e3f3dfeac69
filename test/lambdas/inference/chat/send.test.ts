/** Tests the delay before a retry; `retries.test.ts` covers the retries themselves. */
import { describe, expect, it } from 'vitest';
import { retryWaitMs } from '#lambdas/inference/chat/send.ts';
import { ConnectError } from '#lambdas/inference/providers/http/connection-errors.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';

const error = new GatewayError('rate_limit_exceeded', { message: 'Slow down' });
const limits = { retryAfterMs: 2000 };

describe('retryWaitMs', () => {
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
  ])('maps status %j with a retry-after of %j ms to a delay of %j ms', (status, retryAfterMs, wait) => {
    expect(retryWaitMs({ status, error, retryAfterMs }, limits)).toBe(wait);
  });

  it.each([
    'insufficient_quota',
    'exceeded_current_quota_error',
    'billing_hard_limit_reached',
    'CREDIT_LIMIT',
  ])('returns null for an exhausted account: %s', (providerCode) => {
    const exhausted = new GatewayError('rate_limit_exceeded', { message: 'No', providerCode });
    expect(retryWaitMs({ status: 429, error: exhausted, retryAfterMs: 0 }, limits)).toBeNull();
  });

  it('returns the delay of a ConnectError regardless of the limit', () => {
    const refused = new ConnectError(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 100);
    expect(retryWaitMs({ status: null, error: refused, retryAfterMs: null }, { retryAfterMs: 0 })).toBe(100);
  });
});
