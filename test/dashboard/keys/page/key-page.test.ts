import { createElement } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { costsQuery, newestLogsQuery } from '#dashboard/api/analytics.ts';
import { UseNote, UseSummary } from '#dashboard/keys/actions/use-note.tsx';
import { errorRows, KeyErrors } from '#dashboard/keys/page/errors.tsx';
import { KeyFacts } from '#dashboard/keys/page/facts.tsx';
import { LastRequests } from '#dashboard/keys/page/last-requests.tsx';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import type { ApiKeyDetails, ApiKeyName } from '#lambdas/accounts/organizations/responses.ts';
import { firstLogIdAt } from '#lambdas/request-log/id.ts';
import { costTotals } from '#test/dashboard/rendering/cost-totals.ts';
import { all, textOf, texts } from '#test/dashboard/rendering/markup.ts';
import { renderOnPage } from '#test/dashboard/rendering/page.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { apiKeyOf, keyIdOf } from '../api-key.ts';

const now = new Date('2026-11-23T12:00:00Z');

beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const keyId = keyIdOf(1);

function entry(minutesAgo: number, fields: Partial<ListedLogEntry> = {}): ListedLogEntry {
  return {
    ...logEntry({ id: firstLogIdAt(now.getTime() - minutesAgo * 60_000), api_key_id: keyId }),
    ...fields,
  };
}

const list = (...data: ListedLogEntry[]) => ({
  object: 'list',
  data,
  has_more: false,
  searched_back_to: null,
});

const details = (fields: Partial<ApiKeyDetails> = {}): ApiKeyDetails => ({
  ...apiKeyOf(1),
  replaces: [],
  replaced_by: null,
  has_been_seen: true,
  ...fields,
});

const otherKey: ApiKeyName = { id: keyIdOf(2), name: 'production', last_four: 'aB3d', state: 'active' };

describe('The facts of a key', () => {
  const newest = newestLogsQuery('org_1', { api_key_id: keyId, limit: 1, start: '2026-11-23' }).queryKey;
  const facts = async (apiKey: ApiKeyDetails, last?: ListedLogEntry) => {
    const loaded = last ? [[newest, list(last)] as const] : [];
    const shown = await renderOnPage(createElement(KeyFacts, { apiKey }), { loaded });
    return {
      texts: Object.fromEntries(texts(shown, 'dt').map((label, index) => [label, texts(shown, 'dd')[index]])),
      links: all(shown, 'a').map(({ attributes }) => attributes.href),
    };
  };

  it('lead to its last request, and to those that it replaces and that replaces it', async () => {
    const apiKey = details({
      state: 'active',
      last_used: '2026-11-23',
      ends_at: '2026-11-24T12:00:00.000Z',
      replaced_by: otherKey,
      replaces: [{ ...otherKey, id: keyIdOf(3), last_four: 'xY9z' }],
    });
    const { texts: shown, links } = await facts(apiKey, entry(2));

    expect(shown['Last used']).toBe('2 minutes ago');
    expect(shown['Replaced by']).toBe('production …aB3d');
    expect(shown.Replaces).toBe('production …xY9z');
    expect(Object.keys(shown)).toContain('Ends, since it is replaced');
    expect(links).toEqual([
      `/organizations/org_1/logs/${entry(2).id}`,
      `/organizations/org_1/keys/${keyIdOf(3)}`,
      `/organizations/org_1/keys/${keyIdOf(2)}`,
    ]);
  });

  it.each([
    [{}, 'Ada', 'Never'],
    [{ created_by: { id: null, name: 'arn:aws:iam', active: true } }, 'an operator', 'Never'],
    [{ created_by: { id: 'user_2', name: 'Bob', active: false } }, 'Bob, who has left', 'Never'],
  ])('of a key that was never used, %j, name its creator', async (fields, creator, expires) => {
    const { texts: shown } = await facts(details(fields));
    expect(shown.Created).toMatch(new RegExp(`by ${creator}$`));
    expect(shown).toMatchObject({ 'Last used': 'Not used', Expires: expires });
    expect(Object.keys(shown)).not.toContain('Replaces');
  });
});

describe('The question whether to end a key', () => {
  const noteOf = async (requests: number, entries?: ListedLogEntry[]) => {
    const totals = costTotals({ requests, cost_usd: '12.3', rejected_requests: 1 });
    return textOf(await renderOnPage(createElement(UseSummary, { totals, entries })));
  };

  it('says what would stop, and whose', async () => {
    expect(await noteOf(1077)).toBe('1,077 requests in the last 30 days for $12.30, and 1 rejected.');
    const entries = [
      ...['ada', 'bob', 'ada', 'eve', 'dan'].map((user_id, index) => entry(index + 2, { user_id })),
      entry(9, { prompt_id: 'support' }),
    ];
    expect(await noteOf(1077, entries)).toBe(
      '1,077 requests in the last 30 days for $12.30, and 1 rejected. The last one was 2 minutes ago.' +
        'Users: ada (2), bob (1), eve (1) and 1 more.Prompts: support (1).',
    );
    const refused = entry(2, { outcome: 'rejected', refused_requests: 37 });
    expect(await noteOf(1077, [refused, refused])).toMatch(/^1,077 .* and 74 rejected\. The last one/);
    const attempt = entry(3, { outcome: 'timeout', superseded_by: refused.id, user_id: 'ada' });
    expect(await noteOf(0, [attempt, entry(2, { user_id: 'ada' })])).toMatch(
      /^1 request .*Users: ada \(1\)\.$/,
    );
    const many = Array.from({ length: 100 }, (_, index) => entry(index + 2, { user_id: 'ada' }));
    expect(await noteOf(1077, many)).toContain('Users: ada (100), of the newest 100 requests.');
  });

  it('says that nothing would', async () => {
    const note = await renderOnPage(createElement(UseSummary, { totals: costTotals(), entries: [] }));
    expect(textOf(note)).toBe('It has not been used in the last 30 days.');
  });

  it('does not use what was loaded before', async () => {
    const parameters = { start: '2026-10-24', api_key_id: keyId };
    const loaded = [[costsQuery('org_1', parameters).queryKey, { totals: costTotals() }] as const];
    const note = await renderOnPage(createElement(UseNote, { keyId }), { loaded });
    expect(textOf(note)).toBe('Its use is being loaded…');
  });
});

describe('The errors of a key', () => {
  const errors = [
    entry(1, { outcome: 'provider_error', error_code: 'rate_limit_exceeded' }),
    entry(2, { outcome: 'provider_error', error_code: null }),
    entry(3, { outcome: 'provider_error', error_code: 'rate_limit_exceeded' }),
  ];

  it('are counted by code, the most frequent first', () => {
    expect(errorRows(errors).map(({ code, requests, newest }) => [code, requests, newest.id])).toEqual([
      ['rate_limit_exceeded', 2, errors[0]?.id],
      [null, 1, errors[1]?.id],
    ]);
  });

  it('count every refused request of an entry that stands for several', () => {
    const refused = [37, null, 50].map((refused_requests, index) =>
      entry(index, { outcome: 'rejected', error_code: 'rate_limit_exceeded', refused_requests }),
    );
    expect(errorRows(refused).map(({ requests }) => requests)).toEqual([88]);
  });

  it('do not count attempts after which another target has served the request', () => {
    const attempt = entry(0, { outcome: 'provider_error', error_code: null, superseded_by: errors[0]?.id });
    expect(errorRows([attempt, ...errors]).map(({ requests }) => requests)).toEqual([2, 1]);
    expect(errorRows([attempt])).toEqual([]);
  });

  const bounds = { start: '2026-11-01' };
  const panel = (fields: Parameters<typeof costTotals>[0], lists: Record<string, ListedLogEntry[]>) =>
    renderOnPage(createElement(KeyErrors, { keyId, bounds, totals: costTotals(fields) }), {
      loaded: Object.entries(lists).map(([outcome, data]) => [
        newestLogsQuery('org_1', { ...bounds, api_key_id: keyId, outcome, limit: 100 }).queryKey,
        list(...data),
      ]),
    });

  it('lead to their requests', async () => {
    const shown = await panel(
      { provider_error_requests: 3, rejected_requests: 1 },
      {
        provider_error: errors,
        rejected: [entry(4, { outcome: 'rejected', error_code: 'insufficient_quota' })],
      },
    );
    expect(texts(shown, 'tr').slice(1)).toEqual([
      'rate_limit_exceededProvider error21 minute ago',
      'No codeProvider error12 minutes ago',
      'insufficient_quotaRejected14 minutes ago',
    ]);
    expect(all(shown, 'a')[2]?.attributes.href).toBe(
      `/organizations/org_1/logs?time_zone=UTC&api_key_id=${keyId}&outcome=rejected&error_code=insufficient_quota`,
    );
  });

  it('are not read without any', async () => {
    expect(textOf(await panel({ rejected_requests: 0 }, {}))).toContain('None in this range.');
  });
});

describe('The last requests of a key', () => {
  const bounds = { start: '2026-11-01' };
  const parameters = { ...bounds, api_key_id: keyId, limit: 10 };
  const requests = (loaded: object) =>
    renderOnPage(createElement(LastRequests, { keyId, bounds }), {
      loaded: [[newestLogsQuery('org_1', parameters).queryKey, loaded]],
    });

  it('lead to all of them', async () => {
    const shown = await requests(list(entry(2)));
    expect(all(shown, 'a').map(({ attributes }) => attributes.href)).toEqual([
      `/organizations/org_1/logs?time_zone=UTC&api_key_id=${keyId}`,
      `/organizations/org_1/logs/${entry(2).id}`,
    ]);
  });

  it('may be further back than was searched', async () => {
    const cut = { ...list(), has_more: true, searched_back_to: '2026-11-20T00:00:00.000Z' };
    expect(textOf(await requests(cut))).toContain('The logs search further.');
    expect(textOf(await requests(list()))).toContain('No requests in this range.');
  });
});
