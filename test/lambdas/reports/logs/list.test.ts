import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { createTestAuditTrail } from '#test/support/audit/test-audit-trail.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { schemaErrors, schemaPointer } from '#test/support/openapi.ts';
import { type Caller, type ReportFixture, startReportFixture } from '#test/support/reports/fixture.ts';

const startMs = Date.UTC(2026, 0, 31, 9, 30);
const dayMs = 86_400_000;

interface Page {
  object: string;
  data: { id: string; cost_usd: number }[];
  limit: number;
  offset: number;
  has_more: boolean;
  next_cursor: string | null;
}

describe.each([1, 3])('GET /api/logs over %i shards', (logShards) => {
  let reports: ReportFixture;
  let caller: Caller;
  const ids = Array.from({ length: 6 }, (_, index) =>
    createLogId(startMs + index * 1000, (index * 2) % logShards),
  );
  beforeAll(async () => {
    reports = await startReportFixture();
    reports.setTime(new Date(startMs + dayMs));
    caller = await reports.newCaller({ logShards });
    const fields: Partial<LogEntry>[] = [
      { provider: 'openrouter', model: 'openai/gpt-4o', user_id: 'ada', service_tier: 'flex' },
      {
        model: 'gpt-4o',
        user_id: 'ada',
        status: 429,
        session_id: 's 1',
        service_tier: 'flex',
        outcome: 'provider_error',
        error_code: 'invented',
      },
      { model: 'gpt-4o', prompt_id: 'p', api_key_id: 'key_2', operation: 'embeddings' },
      { model: 'gpt-4o-mini', user_id: 'ada', prompt_id: 'p', session_id: 's 1' },
      { model: 'gpt-4o-mini', user_id: 'ada', prompt_id: 'p', session_id: 's 1', status: 400 },
      {
        model: null,
        provider: null,
        status: 400,
        outcome: 'rejected',
        service_tier: null,
        api_key_id: 'key_2',
        error_code: 'unsupported_parameter',
        operation: 'embeddings',
      },
    ];
    const entries = ids.map((id, index) =>
      logEntry({ id, organization_id: caller.organizationId, cost_usd: '0.000000000001', ...fields[index] }),
    );
    await reports.write(...entries);
    await reports.rollUp(entries);
  });
  afterAll(() => reports.stop());

  const list = async (query: string) => (await reports.get('logs', { caller, query })).body as Page;
  const newest = (...indexes: number[]) => indexes.map((index) => ids[index]);

  it('lists the newest entries first, with a cursor for the next page', async () => {
    const page = await list('limit=2');
    expect(page.data.map(({ id }) => id)).toEqual(newest(5, 4));
    expect(page).toMatchObject({
      object: 'list',
      limit: 2,
      offset: 0,
      has_more: true,
      next_cursor: expect.any(String),
    });
    const rest = await list(`limit=4&cursor=${page.next_cursor}`);
    expect(rest.data.map(({ id }) => id)).toEqual(newest(3, 2, 1, 0));
    expect(rest).toMatchObject({ limit: 4, offset: 0, has_more: false, next_cursor: null });
  });

  it('skips the offset, and continues after it with the cursor', async () => {
    const page = await list('offset=1&limit=2');
    expect(page).toMatchObject({ limit: 2, offset: 1, has_more: true });
    expect(schemaErrors(page, schemaPointer('LogEntryList'))).toEqual([]);
    const rest = await list(`cursor=${page.next_cursor}`);
    expect([page, rest].map(({ data }) => data.map(({ id }) => id))).toEqual([newest(4, 3), newest(2, 1, 0)]);
    expect(rest.offset).toBe(0);
  });

  it('returns the fields in the documented order, without the organization, the billed parts and table keys', async () => {
    const { text } = await reports.get('logs', { caller, query: 'limit=1&offset=1' });
    expect(text).toMatch(
      /"data":\[\{"id":"[^"]+","created_at":"2026-01-31T09:30:04.000Z","model":"gpt-4o-mini","response_model"/,
    );
    expect(text).toContain('"cost_usd":0.000000000001,');
    for (const hidden of ['organization', 'expires_at', 'written_at', '_key"', '_shard', 'billed_parts']) {
      expect(text).not.toContain(hidden);
    }
  });

  it.each([
    ['offset=4', [1, 0]],
    ['model=gpt-4o', [2, 1]],
    ['model=openai/gpt-4o', [2, 1, 0]],
    ['model=openai/gpt-4o&provider=openrouter', [0]],
    ['model=openai/gpt-4o&user_id=ada', [1, 0]],
    ['model=openai/gpt-4o&user_id=ada&status=429', [1]],
    ['provider=openrouter', [0]],
    ['model=gpt-4o&provider=openai&limit=1', [2]],
    ['model=nosuch', []],
    ['user_id=ada', [4, 3, 1, 0]],
    ['user_id=Ada', []],
    ['session_id=s%201', [4, 3, 1]],
    ['prompt_id=p&user_id=ada', [4, 3]],
    ['status=400', [5, 4]],
    ['service_tier=flex', [1, 0]],
    ['service_tier=default&user_id=ada', [4, 3]],
    ['service_tier=flex&model=openai/gpt-4o&limit=1', [1]],
    ['service_tier=Flex', []],
    ['operation=embeddings', [5, 2]],
    ['operation=embeddings&limit=1', [5]],
    ['operation=embeddings&offset=1', [2]],
    ['operation=embeddings&outcome=rejected', [5]],
    ['operation=embeddings&api_key_id=key_2&outcome=completed', [2]],
    ['operation=chat.completions', [4, 3, 1, 0]],
    ['operation=chat.completions&outcome=rejected', []],
    ['operation=chat.completions&model=gpt-4o&status=429', [1]],
    ['operation=responses', []],
    ['status=200', [3, 2, 0]],
    ['status=200&user_id=ada&prompt_id=p&session_id=s+1&model=openai/gpt-4o-mini&provider=openai', [3]],
    ['status=200&user_id=ada&offset=1', [0]],
    ['api_key_id=key_2', [5, 2]],
    ['api_key_id=key_2&user_id=ada', []],
    ['api_key_id=unknown', []],
    ['outcome=provider_error', [1]],
    ['outcome=rejected&api_key_id=key_2', [5]],
    ['outcome=completed&user_id=ada&limit=1', [4]],
    ['outcome=Completed', []],
    ['error_code=invented', [1]],
    ['error_code=provider:429&outcome=provider_error', [1]],
    ['error_code=provider:429&status=429&user_id=ada', [1]],
    ['error_code=provider:400', []],
    ['error_code=unsupported_parameter', [5]],
    ['error_code=unknown&outcome=unknown', []],
    ['start=2026-01-31T09:30:01Z&end=2026-01-31T09:30:03Z', [2, 1]],
    ['start=2026-01-31T10:30:01%2B01:00&end=2026-01-31T09:30:02Z', [1]],
    ['start=2026-01-31T09:30:00.001Z&end=2026-01-31T09:30:02.001Z&user_id=ada', [1]],
    ['end=2026-01-31T09:30:00Z', []],
    ['start=2026-01-31T09:30:00Z&end=2026-01-31T09:30:00Z', []],
  ])('returns the matching entries for %s', async (query, expected) => {
    const page = await list(query);
    expect(page.data.map(({ id }) => id)).toEqual(newest(...expected));
    expect(page.has_more).toBe(query.includes('limit=1'));
  });

  it('finds entries in a shard that was added after the previous page', async () => {
    const grown = await reports.newCaller({ logShards });
    const write = (index: number, shard: number) => {
      const id = createLogId(startMs + index, shard);
      return reports.write(logEntry({ id, organization_id: grown.organizationId })).then(() => id);
    };
    const [oldest, older] = [await write(0, 0), await write(1, 0)];
    const first = await reports.get('logs', { caller: grown, query: 'limit=1' });
    const directory = createDirectoryStore({
      client: reports.database.documentClient,
      tableName: reports.tables.directory,
    });
    const audit = createTestAuditTrail(reports.database, reports.tables);
    await directory.raiseLogShards(grown.organizationId, logShards + 4, audit);
    const later = await write(2, logShards + 3);
    const { body } = await reports.get('logs', { caller: grown });
    expect((body as Page).data.map(({ id }) => id)).toEqual([later, older, oldest]);
    const query = `cursor=${(first.body as Page).next_cursor}`;
    const second = await reports.get('logs', { caller: grown, query });
    expect((second.body as Page).data.map(({ id }) => id)).toEqual([oldest]);
  });

  it.each([
    'limit=0',
    'limit=1001',
    'limit=x',
    'limit=',
    'limit=1&limit=2',
    'offset=-1',
    'offset=10001',
    'start=1',
    'end=2026-01-31',
    'cursor=x',
    'cursor=',
    'status=999',
    'status=ok',
    'user_id=',
    'user_id=a&user_id=b',
    'service_tier=',
    'outcome=',
    'error_code=a&error_code=b',
    `api_key_id=${'k'.repeat(257)}`,
    `service_tier=${'t'.repeat(257)}`,
    `session_id=${'s'.repeat(257)}`,
    'modle=x',
    'User_id=x',
    'group_by=model',
    'start=2026-02-01T00:00:00Z&end=2026-01-01T00:00:00Z',
  ])('returns 400 and names the parameter for %s', async (query) => {
    const { status, body } = await reports.get('logs', { caller, query });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: { type: 'invalid_request_error', code: 'invalid_request_error', param: query.split('=')[0] },
    });
    expect(schemaErrors(body, schemaPointer('Error'))).toEqual([]);
  });

  it('returns 400 for a cursor with other conditions and for a cursor with an offset', async () => {
    const { next_cursor } = await list('limit=1&user_id=ada');
    for (const [query, param] of [
      [`cursor=${next_cursor}`, 'cursor'],
      [`cursor=${next_cursor}&user_id=bob`, 'cursor'],
      [`cursor=${next_cursor}&user_id=ada&status=200`, 'cursor'],
      [`cursor=${next_cursor?.slice(1)}&user_id=ada`, 'cursor'],
      [`cursor=${next_cursor}&user_id=ada&offset=0`, 'offset'],
    ] as const) {
      const { status, body } = await reports.get('logs', { caller, query });
      expect([query, status, body]).toEqual([query, 400, { error: expect.objectContaining({ param }) }]);
    }
  });

  it('lists no entries of another organization and rejects its cursor', async () => {
    const otherCaller = await reports.newCaller({ logShards });
    const { next_cursor } = await list('limit=2');
    expect((await reports.get('logs', { caller: otherCaller })).body).toMatchObject({
      data: [],
      has_more: false,
    });
    const response = await reports.get('logs', { caller: otherCaller, query: `cursor=${next_cursor}` });
    expect([response.status, response.body]).toEqual([
      400,
      { error: expect.objectContaining({ param: 'cursor' }) },
    ]);
  });

  it('returns 401 without a key', async () => {
    const { status, body } = await reports.get('logs', {});
    expect([status, body]).toEqual([401, { error: expect.objectContaining({ code: 'invalid_api_key' }) }]);
  });

  it('omits expired entries that are still in the table', async () => {
    const expiresMs = startMs + 2000 + 90 * dayMs;
    reports.setTime(new Date(expiresMs - 1));
    expect((await list('')).data.map(({ id }) => id)).toEqual(newest(5, 4, 3, 2));
    reports.setTime(new Date(expiresMs));
    expect((await list('')).data.map(({ id }) => id)).toEqual(newest(5, 4, 3));
    expect((await list('model=gpt-4o')).data).toEqual([]);
    const byId = async (index: number) => (await reports.get('log', { caller, id: ids[index] ?? '' })).status;
    expect([await byId(2), await byId(3)]).toEqual([404, 200]);
    reports.setTime(new Date(startMs + dayMs));
  });
});
