import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { keyNameQuery } from '#dashboard/api/keys.ts';
import { explainError } from '#dashboard/logs/entry/error-codes.ts';
import { Failure } from '#dashboard/logs/entry/failure.tsx';
import { refusalSentence } from '#dashboard/logs/entry/refusal-notice.tsx';
import type { LogEntryDetails } from '#lambdas/accounts/analytics/responses.ts';
import type { BudgetRefusal, RateLimitRefusal } from '#lambdas/limits/refusal.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { all, textOf, texts } from '../rendering/markup.ts';
import { renderOnPage } from '../rendering/page.ts';

const refusal: BudgetRefusal = {
  by: 'budget',
  owner: 'organization',
  api_key_id: null,
  period: 'month',
  limit_usd: '10',
  needed_usd: '0.0123456',
  left_usd: '0.01',
  resets_at: '2026-12-01T00:00:00.000Z',
  reserved_by_others: false,
};

async function failureOf(fields: Partial<LogEntryDetails>) {
  const entry: LogEntryDetails = { ...logEntry(), cost_breakdown: null, ...fields };
  const key = { id: 'key_1', name: 'production', last_four: '1111', state: 'active' };
  return renderOnPage(createElement(Failure, { entry }), {
    loaded: [[keyNameQuery('org_1', 'key_1').queryKey, key]],
  });
}

async function refusedBy(fields: Partial<BudgetRefusal>) {
  return failureOf({
    outcome: 'rejected',
    status: 429,
    error_code: 'insufficient_quota',
    error_message: 'The budget is exhausted.',
    refusal: { ...refusal, ...fields },
  });
}

describe('A refusal by a budget', () => {
  it('names the budget of the organization, and leads to it', async () => {
    const shown = await refusedBy({});
    expect(texts(shown, 'p')).toEqual([
      'A budget refused the request before a provider was called',
      'It might have cost more than the monthly budget had left.',
      'Error code insufficient_quota',
    ]);
    expect(texts(shown, 'dt')).toEqual([
      'Budget',
      'Needed',
      'Left',
      'Hard limit',
      expect.stringMatching(/^Resets?$/),
    ]);
    expect(texts(shown, 'dd').slice(0, 4)).toEqual([
      'Monthly, of the organization',
      '$0.0123456',
      '$0.01',
      '$10.00',
    ]);
    expect(texts(shown, 'time')[0]).toMatch(/2026.*UTC/);
    expect(all(shown, 'a').map(({ attributes }) => attributes.href)).toEqual([
      '/organizations/org_1/budgets',
    ]);
  });

  it('names the key whose budget it is, and leads to its page', async () => {
    const shown = await refusedBy({ owner: 'api_key', api_key_id: 'key_1', period: 'day' });
    expect(texts(shown, 'dd')[0]).toBe('Daily, of the key production');
    expect(all(shown, 'a').map(({ attributes }) => attributes.href)).toEqual([
      '/organizations/org_1/keys/key_1',
    ]);
  });

  it('says when only reservations of other requests were in the way', () => {
    expect(refusalSentence({ ...refusal, reserved_by_others: true })).toBe(
      'It might have cost more than the monthly budget had left. Other requests in progress had reserved a part, which they give back when they end: this one can be sent again then.',
    );
  });
});

describe('A refusal by a rate limit', () => {
  const ofKey: RateLimitRefusal = {
    by: 'rate_limit',
    owner: 'api_key',
    api_key_id: 'key_1',
    limit: 'requests_per_minute',
    limit_value: 6000,
    retry_after_ms: 1250,
  };
  const refused = (changes: Partial<RateLimitRefusal>, refusedRequests: number | null = null) =>
    failureOf({
      outcome: 'rejected',
      status: 429,
      error_code: 'rate_limit_exceeded',
      error_message: 'The rate limit is reached.',
      refusal: { ...ofKey, ...changes },
      refused_requests: refusedRequests,
    });

  it('names the key, the limit and the time to wait, and leads to the page of the key', async () => {
    const shown = await refused({});
    expect(texts(shown, 'p')).toEqual([
      'A rate limit refused the request before a provider was called',
      'The key production may send 6,000 requests per minute, and had none left. The request could be sent again after 1.25 s.',
    ]);
    expect(texts(shown, 'dt')).toEqual(['Requests per minute', 'Retry after', 'Error code']);
    expect(texts(shown, 'dd')).toEqual(['6,000', '1.25 s', 'rate_limit_exceeded']);
    expect(all(shown, 'a').map(({ attributes }) => attributes.href)).toEqual([
      '/organizations/org_1/keys/key_1',
    ]);
  });

  it('names the organization, and leads to its rate limits', async () => {
    const shown = await refused({ owner: 'organization', api_key_id: null });
    expect(texts(shown, 'p')[1]).toMatch(/^All keys of Acme together may send 6,000 requests per minute,/);
    expect(all(shown, 'a').map(({ attributes }) => attributes.href)).toEqual([
      '/organizations/org_1/budgets#rate-limits',
    ]);
  });

  it.each<[Partial<RateLimitRefusal>, string]>([
    [
      { limit: 'tokens_per_minute', limit_value: 100_000, retry_after_ms: 30_000 },
      'may use 100,000 tokens per minute, and had too few left for this request. The request could be sent again after 30.0 s.',
    ],
    [
      { limit: 'concurrent', limit_value: 1 },
      'may have 1 request in progress at the same time, and had as many. The request could be sent again after 1.25 s.',
    ],
  ])('explains the limit %j', async (changes, sentence) => {
    expect(texts(await refused(changes), 'p')[1]).toBe(`The key production ${sentence}`);
  });

  it('says for how many requests its entry stands', async () => {
    expect(textOf(await refused({}, 37))).toContain('This entry stands for 37 refused requests.');
    expect(textOf(await refused({}, 1))).not.toContain('stands for');
  });
});

describe('An error', () => {
  it('is shown with what the gateway keeps of it', async () => {
    const shown = await failureOf({
      outcome: 'rejected',
      status: 400,
      error_code: 'unsupported_parameter',
      error_type: 'invalid_request_error',
      error_param: 'tools[0].type',
      error_message: 'tools[0].type is not supported by anthropic',
    });
    expect(texts(shown, 'p')).toEqual([
      'The request was rejected by the gateway before a provider was called',
      'Error code unsupported_parameter: The provider of the model does not support a parameter of the request.',
      'tools[0].type is not supported by anthropic',
    ]);
    expect(texts(shown, 'dd')).toEqual(['invalid_request_error', 'tools[0].type']);
  });

  it('of a provider says that its message is not kept', async () => {
    const shown = await failureOf({
      outcome: 'provider_error',
      status: 429,
      error_code: 'rate_limit_exceeded',
      error_type: 'requests',
    });
    expect(texts(shown, 'p')).toEqual([
      'The request failed at the provider',
      'Error code rate_limit_exceeded: The provider allowed no more requests at that time. Send fewer at once, or ask it for a higher limit.',
      'The provider’s message is not kept, since it may quote the request.',
    ]);
    expect(texts(shown, 'dt')).toEqual(['Type']);
  });

  it('is not there in a completed request', async () => {
    expect(textOf(await failureOf({}))).toBe('');
  });

  it.each([
    ['rejected', 'model_not_allowed', 'The key, or its organization, may not use this model.'],
    [
      'rejected',
      'no_suitable_target',
      'No target of the route can serve the request. The response gave the reason of each.',
    ],
    ['rejected', 'insufficient_quota', 'A budget with a hard limit had too little left.'],
    ['provider_error', 'insufficient_quota', 'The provider’s account has no credit left.'],
    ['client_closed', 'insufficient_quota', 'The provider’s account has no credit left.'],
    ['rejected', 'rate_limit_exceeded', 'A rate limit of the gateway allowed no more requests at that time.'],
    ['provider_error', 'constructor', null],
    ['timeout', null, null],
  ] as const)('of a request that is %s with the code %s is explained: %s', (outcome, error_code, text) => {
    expect(explainError({ outcome, error_code })).toBe(text);
  });
});
