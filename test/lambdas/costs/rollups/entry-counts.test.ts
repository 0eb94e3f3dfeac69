import { describe, expect, it } from 'vitest';
import { countsOf } from '#lambdas/costs/rollups/entry-counts.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { logEntry } from '#test/support/log-entries.ts';

const noUsage: Partial<LogEntry> = {
  ...{ input_tokens: null, output_tokens: null },
  ...{ usage_source: 'missing', pricing: null, cost_usd: '0' },
};
const request = { Requests: 1, ProviderErrors: 0 };
const failure = (fields: Partial<LogEntry>) => countsOf(logEntry({ ...noUsage, ...fields }));

describe('countsOf', () => {
  it('counts a completed request with its tokens', () => {
    expect(countsOf(logEntry())).toEqual({ ...request, InputTokens: 1200, OutputTokens: 300 });
  });

  it.each([
    ['unknown', 'estimated', { UnpricedRequests: 1 }],
    ['assumed', 'estimated', { AssumedRequests: 1 }],
    ['table', 'estimated', { EstimatedRequests: 1 }],
    ['provider', 'estimated', {}],
  ] as const)('counts a request whose price is %s and whose usage is %s', (pricing, usage_source, counts) => {
    const fields: Partial<LogEntry> = { pricing, usage_source, output_tokens: 0 };
    expect(countsOf(logEntry(fields))).toEqual({ ...request, InputTokens: 1200, ...counts });
  });

  it('counts a rejected request as nothing else, even if its provider is known', () => {
    expect(failure({ outcome: 'rejected', status: 429, error_code: 'insufficient_quota' })).toEqual({
      RejectedRequests: 1,
    });
    expect(failure({ outcome: 'rejected', status: 503, error_code: 'service_unavailable' })).toEqual({
      RejectedRequests: 1,
    });
  });

  it('does not blame the provider for a caller who left or a function that was killed', () => {
    expect(failure({ outcome: 'client_closed', status: 499, error_code: 'provider_unavailable' })).toEqual({
      ...request,
      ClientDisconnects: 1,
    });
    expect(failure({ outcome: 'interrupted', status: 502, error_code: 'interrupted' })).toEqual({
      ...request,
      InterruptedRequests: 1,
    });
  });

  it.each([
    ['an unreachable provider', 502, 'provider_unavailable'],
    ['a status of 500', 502, 'server_error'],
    ['an overloaded provider', 503, 'overloaded_error'],
    ['a provider whose own code is that of the gateway', 503, 'service_unavailable'],
    ['a rejected credential of the gateway', 502, 'provider_authentication_failed'],
  ])('counts %s as an error of the provider and of the response', (_, status, error_code) => {
    expect(failure({ outcome: 'provider_error', status, error_code })).toEqual({
      ...request,
      ProviderErrors: 1,
      ProviderErrorResponses: 1,
    });
  });

  it.each([
    ['before the response', 504, { ProviderErrorResponses: 1 }],
    ['within a stream', 200, {}],
  ])('counts a timeout %s also as an error', (_, status, counts) => {
    expect(failure({ outcome: 'timeout', status, error_code: 'provider_timeout' })).toEqual({
      ...request,
      ProviderErrors: 1,
      ProviderTimeouts: 1,
      ...counts,
    });
  });

  it.each([
    [400, 'context_length_exceeded'],
    [400, 'model_not_found'],
    [413, 'request_too_large'],
    [422, 'invalid_request_error'],
  ])('counts a status of %d as a rejection by the provider, not as its error', (status, error_code) => {
    expect(failure({ outcome: 'provider_error', status, error_code })).toEqual({
      ...request,
      ProviderRejections: 1,
    });
  });

  it('counts a status of 429 as throttling, not as an error', () => {
    expect(failure({ outcome: 'provider_error', status: 429, error_code: 'slow_down' })).toEqual({
      ...request,
      ProviderThrottles: 1,
    });
  });

  it.each([
    ['server_error', { ProviderErrors: 1 }],
    ['provider_error', { ProviderErrors: 1 }],
    [null, { ProviderErrors: 1 }],
    ['rate_limit_exceeded', { ProviderThrottles: 1 }],
    ['invalid_request_error', { ProviderRejections: 1 }],
  ])('classifies an error within a stream by its code: %s', (error_code, counts) => {
    expect(failure({ outcome: 'provider_error', status: 200, error_code })).toEqual({
      ...request,
      ...counts,
    });
  });

  it('counts no failure of the provider when the gateway failed', () => {
    expect(failure({ outcome: 'provider_error', status: 500, error_code: 'internal_error' })).toEqual(
      request,
    );
  });
});
