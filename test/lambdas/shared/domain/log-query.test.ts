import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogEntry, LogEntryRange } from '../../../../lambdas/shared/domain/log-entry.ts';
import { createLogId } from '../../../../lambdas/shared/domain/log-id.ts';
import { parseLogQuery, readLogPage } from '../../../../lambdas/shared/domain/log-query.ts';
import { logEntry } from '../../../support/log-entries.ts';

const parse = (parameters: Record<string, string | string[]>, organization = 'org_1') =>
  parseLogQuery(
    organization,
    Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, [value].flat()])),
  );

describe('parsing a log query', () => {
  it('has defaults for everything', () => {
    expect(parse({})).toMatchObject({ limit: 100, offset: 0, before: undefined, filters: [{}] });
  });

  it.each([
    [{ limit: '0' }, 'limit', 'limit must be a whole number from 1 to 1000'],
    [{ limit: '1001' }, 'limit', 'limit must be a whole number from 1 to 1000'],
    [{ limit: '1e2' }, 'limit', 'limit must be a whole number from 1 to 1000'],
    [{ limit: ['1', '2'] }, 'limit', 'limit must be given once'],
    [
      { offset: '-1' },
      'offset',
      'offset must be a whole number from 0 to 10000; use the cursor from next_cursor to go further',
    ],
    [
      { offset: '10001' },
      'offset',
      'offset must be a whole number from 0 to 10000; use the cursor from next_cursor to go further',
    ],
    [{ model: '' }, 'model', 'model must not be empty'],
    [
      { modle: 'x' },
      'modle',
      'Unknown query parameter modle; known are start, end, model, provider, limit, offset, cursor',
    ],
    [{ cursor: 'zzz' }, 'cursor', 'cursor must be the next_cursor of a page with the same parameters'],
    [
      { cursor: 'x', offset: '1' },
      'offset',
      'offset cannot be combined with cursor: a cursor already says where to go on',
    ],
    [{ start: 'now' }, 'start', 'start must be an RFC 3339 timestamp, such as 2026-01-31T09:30:00Z'],
  ])('refuses %j', (parameters, param, message) => {
    expect(() => parse(parameters)).toThrow(expect.objectContaining({ status: 400, param, message }));
  });

  it('reads a model with a slash as a name of its own and as provider and model', () => {
    expect(parse({ model: 'openai/gpt-4o' }).filters).toEqual([
      { model: 'openai/gpt-4o' },
      { provider: 'openai', model: 'gpt-4o' },
    ]);
    expect(parse({ model: 'openai/gpt-4o', provider: 'openrouter' }).filters).toEqual([
      { model: 'openai/gpt-4o', provider: 'openrouter' },
    ]);
    expect(parse({ provider: 'groq' }).filters).toEqual([{ provider: 'groq' }]);
  });
});

describe('reading pages', () => {
  const entries = Array.from({ length: 60 }, (_, index) =>
    logEntry({
      id: createLogId(1_000_000 + Math.floor(index / 3)),
      provider: index % 4 === 0 ? 'openrouter' : 'openai',
      model: index % 4 === 0 ? 'openai/gpt-4o' : index % 4 === 1 ? 'gpt-4o' : 'gpt-4o-mini',
    }),
  ).sort((left, right) => (left.id < right.id ? 1 : -1));
  const reader = {
    find: () => Promise.reject(new Error('not used')),
    async *newestFirst({ filter, before }: LogEntryRange): AsyncGenerator<LogEntry> {
      for (const entry of entries) {
        const matches =
          (filter.model ?? entry.model) === entry.model &&
          (filter.provider ?? entry.provider) === entry.provider;
        if (matches && (before === undefined || entry.id < before)) yield entry;
      }
    },
  };
  const matching = (model?: string) =>
    entries.filter(
      (entry) => model === undefined || [entry.model, `${entry.provider}/${entry.model}`].includes(model),
    );

  it('neither misses nor repeats an entry, whatever the page size and the filter', async () => {
    const model = fc.constantFrom(undefined, 'openai/gpt-4o', 'gpt-4o', 'gpt-4o-mini', 'none');
    await fc.assert(
      fc.asyncProperty(model, fc.integer({ min: 1, max: 25 }), async (name, limit) => {
        const parameters = { ...(name !== undefined && { model: name }), limit: String(limit) };
        const ids: string[] = [];
        let cursor: string | null = null;
        do {
          const query = parse({ ...parameters, ...(cursor !== null && { cursor }) });
          const page = await readLogPage(reader, query);
          expect(page.entries.length).toBeLessThanOrEqual(limit);
          expect(page.hasMore).toBe(page.nextCursor !== null);
          ids.push(...page.entries.map(({ id }) => id));
          cursor = page.nextCursor;
        } while (cursor !== null);
        expect(ids).toEqual(matching(name).map(({ id }) => id));
      }),
    );
  });

  it('skips as many entries as the offset says', async () => {
    const page = await readLogPage(reader, parse({ offset: '50', limit: '20' }));
    expect(page.entries).toEqual(entries.slice(50));
    expect(page).toMatchObject({ hasMore: false, nextCursor: null });
  });

  it('gives a cursor that works for its organization and filters alone', async () => {
    const { nextCursor } = await readLogPage(reader, parse({ limit: '5', provider: 'openai' }));
    const cursor = nextCursor ?? '';
    expect(parse({ cursor, provider: 'openai', limit: '50' }).before).toBe(
      entries.filter(({ provider }) => provider === 'openai')[4]?.id,
    );
    expect(() => parse({ cursor })).toThrow(/^cursor must be/);
    expect(() => parse({ cursor, provider: 'openai' }, 'org_2')).toThrow(/^cursor must be/);
    expect(() => parse({ cursor: `${cursor}A`, provider: 'openai' })).toThrow(/^cursor must be/);
  });
});
