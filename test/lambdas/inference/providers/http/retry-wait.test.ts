import { describe, expect, it } from 'vitest';
import { retryWaitMs } from '#lambdas/inference/providers/http/headers.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';

const limited = new GatewayError('rate_limit_exceeded', { message: 'Slow down' });
const waitOf = (headers: Record<string, string>, status = 429) =>
  retryWaitMs({ status, headers, error: limited });

const date = 'Fri, 20 Nov 2026 10:00:00 GMT';

describe('the wait that a provider asks for', () => {
  it.each<[Record<string, string>, number | null]>([
    [{}, null],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': ' 1.5 ' }, 1500],
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after-ms': 'x', 'retry-after': '9' }, 9000],
    [{ 'retry-after': 'Fri, 20 Nov 2026 10:00:02 GMT', date }, 2000],
    [{ 'retry-after': 'Fri, 20 Nov 2026 09:59:58 GMT', date }, 0],
    [{ 'retry-after': 'Fri, 20 Nov 2026 10:00:02 GMT' }, null],
    [{ 'retry-after': 'Fri, 20 Nov 2026 10:00:02 GMT', date: '2026-11-20' }, null],
    [{ 'retry-after': '2026-11-20T10:00:02Z', date }, null],
    [{ 'retry-after': '' }, null],
    [{ 'retry-after': '-1' }, null],
    [{ 'retry-after': '1e9' }, null],
    [{ 'retry-after': '9999999999' }, null],
    [{ 'retry-after': '0x10' }, null],
  ])('in %j is %j', (headers, wait) => {
    expect(waitOf(headers)).toBe(wait);
  });

  it.each([
    [429, 0],
    [503, 0],
    [400, null],
    [401, null],
    [500, null],
    [502, null],
    [504, null],
    [529, null],
  ])('counts with the status %i: %j', (status, wait) => {
    expect(waitOf({ 'retry-after': '0' }, status)).toBe(wait);
  });

  it.each([
    'insufficient_quota',
    'exceeded_current_quota_error',
    'billing_hard_limit_reached',
    'CREDIT_LIMIT',
  ])('is none where the account is empty: %s', (providerCode) => {
    const error = new GatewayError('rate_limit_exceeded', { message: 'No', providerCode });
    expect(retryWaitMs({ status: 429, headers: { 'retry-after': '0' }, error })).toBeNull();
  });
});
