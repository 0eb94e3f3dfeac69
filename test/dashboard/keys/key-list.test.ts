import { createElement } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type KeyListParameters, keyListQuery, keyNameQuery, keySearchQuery } from '#dashboard/api/keys.ts';
import { formatDate, formatMonthDay } from '#dashboard/components/values/time-format.ts';
import { expiryText } from '#dashboard/keys/actions/change-dialogs.tsx';
import { formatExpiry } from '#dashboard/keys/expiry-presets.ts';
import { countText, KeyList, rankingText, useKeyList } from '#dashboard/keys/key-list.tsx';
import type { ApiKeyList, ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';
import { all, textOf, texts } from '../rendering/markup.ts';
import { renderOnPage } from '../rendering/page.ts';
import { apiKeyOf, keyIdOf, keyPages } from './api-key.ts';

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-11-23T12:00:00Z'), toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const ignore = () => {};

function List({ parameters }: { parameters: KeyListParameters }) {
  const list = useKeyList(parameters);
  if (list.isFirst) return 'no keys at all';
  return createElement(KeyList, { list, parameters, onChange: ignore, onAction: ignore });
}

interface Loaded extends Partial<ApiKeyList> {
  pages: readonly (readonly ApiKeySummary[])[];
  parameters?: KeyListParameters;
  /** Whether the organization has any key; loading if it is missing. */
  hasKeys?: boolean;
}

function listOf({ pages, parameters = {}, hasKeys, ...fields }: Loaded) {
  const names = { object: 'list', data: hasKeys ? [{ id: keyIdOf(1) }] : [] };
  return renderOnPage(createElement(List, { parameters }), {
    loaded: [
      [keyListQuery('org_1', parameters).queryKey, keyPages(pages, fields)],
      ...(hasKeys === undefined ? [] : [[keySearchQuery('org_1', '', 1).queryKey, names] as const]),
    ],
  });
}

const rows = async (apiKey: ApiKeySummary) => {
  const [, row] = all(await listOf({ pages: [[apiKey]] }), 'tr');
  return row ? [...texts(row, 'th'), ...texts(row, 'td')] : [];
};

describe('The list of keys', () => {
  it('has the keys of all pages, and says how many', async () => {
    const list = await listOf({ pages: [[apiKeyOf(3), apiKeyOf(2)], [apiKeyOf(1)]] });

    expect(
      all(list, 'tr')
        .slice(1)
        .map((row) => texts(row, 'th')[0]),
    ).toEqual(['key 3pt_live_…xxx3', 'key 2pt_live_…xxx2', 'key 1pt_live_…xxx1']);
    expect(texts(list, '[role=status]')).toEqual(['3 keys']);
    expect(texts(list, 'button').filter((text) => text !== '')).toEqual([]);
  });

  it('says since when it counts', async () => {
    const [head] = all(await listOf({ pages: [[apiKeyOf(1)]] }), 'tr');
    expect(head && texts(head, 'th')).toEqual([
      'Key',
      'Created',
      'Last used',
      `Spend since ${formatMonthDay('2026-10-01')}`,
      'State',
      'Actions',
    ]);
  });

  it('can be continued', async () => {
    const list = await listOf({ pages: [[apiKeyOf(1)]], next_cursor: 'next' });
    expect(texts(list, '[role=status]')).toEqual(['1 key, and there are more']);
    expect(texts(list, 'button').at(-1)).toBe('Load more');
  });

  it('is loading at first', async () => {
    const list = await renderOnPage(createElement(List, { parameters: {} }));
    expect(texts(list, '[aria-busy=true]')).toEqual(['Loading…']);
  });
});

describe('An empty list of keys', () => {
  const shown = async (loaded: Omit<Loaded, 'pages'>) => {
    const list = await listOf({ pages: [[]], ...loaded });
    const [title] = texts(list, 'p').filter((text) => text.startsWith('No'));
    return [title, ...texts(list, 'button')];
  };

  it('is that of an organization without keys, or whose keys have ended', async () => {
    expect(textOf(await listOf({ pages: [[]], hasKeys: false }))).toBe('no keys at all');
    expect(await shown({ hasKeys: true })).toEqual(['No active key']);
    expect(await shown({ parameters: { state: 'ended' } })).toEqual(['No ended key']);
  });

  it('of a search leads to the keys of the other state, and back to all', async () => {
    expect(await shown({ parameters: { search: 'ada' } })).toEqual([
      'No active key matches',
      'Clear search',
      'Search ended keys',
    ]);
    expect(await shown({ parameters: { search: 'ada', state: 'ended' } })).toEqual([
      'No ended key matches',
      'Clear search',
      'Search active keys',
    ]);
  });

  it('may be followed by pages with keys', async () => {
    expect(await shown({ parameters: { search: 'ada', state: 'ended' }, next_cursor: 'next' })).toEqual([
      'No ended key matches yet',
      'Clear search',
      'Search active keys',
      'Search further',
    ]);
  });

  it('in the order of spending is of keys that have not spent', async () => {
    const ranking = { keys: 0, complete: true };
    expect(await shown({ parameters: { order: 'spend' }, ranking })).toEqual([
      rankingText(ranking, '2026-10-01', 'spend'),
    ]);
  });
});

describe('The order of spending', () => {
  it.each([
    [0, true, 'No key has spent since 1 Oct.'],
    [1, true, '1 key has spent since 1 Oct.'],
    [1000, true, '1,000 keys have spent since 1 Oct.'],
    [1000, false, 'The 1,000 keys that spent most since 1 Oct.'],
  ])('of %i keys, all that have spent: %s, is explained: "%s"', (keys, complete, text) => {
    expect(rankingText({ keys, complete }, '2026-10-01', 'spend', 'en-GB')).toBe(text);
  });

  it('of the last use is explained too', () => {
    const texts = [0, 1, 2].map((keys) =>
      rankingText({ keys, complete: true }, '2026-10-01', 'last_used', 'en-GB'),
    );
    expect([
      ...texts,
      rankingText({ keys: 1000, complete: false }, '2026-10-01', 'last_used', 'en-GB'),
    ]).toEqual([
      'No key has been used since 1 Oct.',
      '1 key has been used since 1 Oct.',
      '2 keys have been used since 1 Oct.',
      'The 1,000 keys that were used last since 1 Oct.',
    ]);
  });

  it('is explained above the list alone that has it', async () => {
    const ranked = await listOf({
      pages: [[apiKeyOf(1)]],
      parameters: { order: 'spend' },
      ranking: { keys: 2, complete: true },
    });
    expect(texts(ranked, 'p')).toContain(rankingText({ keys: 2, complete: true }, '2026-10-01', undefined));
    expect(texts(await listOf({ pages: [[apiKeyOf(1)]] }), 'p')).toEqual(['1 key']);
  });
});

describe('The requests of a key', () => {
  it('are told apart from those that were rejected', async () => {
    expect((await rows(apiKeyOf(1, { requests: 48_210 })))[3]).toBe('$0.0048,210 requests');
    expect((await rows(apiKeyOf(1, { requests: 1, rejected_requests: 1200 })))[3]).toBe(
      '$0.001 request1,200 rejected',
    );
  });
});

describe('The count of keys', () => {
  it('says whether there are more', () => {
    expect([countText(0, false), countText(1, false), countText(25, true)]).toEqual([
      '0 keys',
      '1 key',
      '25 keys, and there are more',
    ]);
  });
});

describe('The state of a key', () => {
  it.each<[Partial<ApiKeySummary>, string]>([
    [{}, 'ActiveNever expires'],
    [
      { ends_at: '2026-12-24T12:00:00.000Z' },
      `ActiveUntil ${formatDate(new Date('2026-12-24T12:00:00.000Z'))}`,
    ],
    [
      { ends_at: '2026-11-25T13:00:00.000Z' },
      `ActiveExpires ${formatDate(new Date('2026-11-25T13:00:00Z'))}`,
    ],
    [
      { state: 'expired', ends_at: '2026-11-01T12:00:00.000Z' },
      `Expired${formatDate(new Date('2026-11-01T12:00:00.000Z'))}`,
    ],
    [
      {
        state: 'revoked',
        revoked_at: '2026-11-02T12:00:00.000Z',
        revoked_by: { id: null, name: 'arn', active: true },
      },
      `Revoked${formatDate(new Date('2026-11-02T12:00:00.000Z'))}by an operator`,
    ],
  ])('%j is "%s"', async (fields, text) => {
    expect((await rows(apiKeyOf(1, fields))).at(-2)).toBe(text);
  });

  it('names the key that replaces it, until when, and leads to it', async () => {
    const key = apiKeyOf(1, { replacement_id: keyIdOf(2), ends_at: '2026-11-25T13:00:00.000Z' });
    const replacement = { id: keyIdOf(2), name: 'production', last_four: 'aB3d', state: 'active' };
    const list = await renderOnPage(createElement(List, { parameters: {} }), {
      loaded: [
        [keyListQuery('org_1').queryKey, keyPages([[key]])],
        [keyNameQuery('org_1', keyIdOf(2)).queryKey, replacement],
      ],
    });

    expect(texts(list, 'td').at(-2)).toBe(
      `Being replacedEnds ${formatDate(new Date('2026-11-25T13:00:00Z'))}by pt_live_…aB3d`,
    );
    expect(all(list, 'a').map(({ attributes }) => [attributes.href, attributes['aria-label']])).toEqual([
      [`/organizations/org_1/keys/${keyIdOf(1)}`, undefined],
      [`/organizations/org_1/keys/${keyIdOf(2)}`, 'production, …aB3d'],
    ]);
  });
});

describe('The expiry of a key', () => {
  it('is told apart from the end of its rotation', () => {
    const [earlier, later] = ['2026-11-25T13:00:00.000Z', '2026-12-24T22:59:00.000Z'];
    const text = (expires: string | null, ends: string | null) =>
      expiryText(apiKeyOf(1, { expires_at: expires, ends_at: ends }));

    const shown = (time: string) => formatExpiry(new Date(time));

    expect(text(null, null)).toBe('does not expire.');
    expect(text(later, later)).toBe(`works until ${shown(later)}.`);
    expect(text(null, earlier)).toBe(`does not expire, but is being replaced, and ends ${shown(earlier)}.`);
    expect(text(later, earlier)).toBe(
      `works until ${shown(later)}, but is being replaced, and ends ${shown(earlier)}.`,
    );
  });
});
