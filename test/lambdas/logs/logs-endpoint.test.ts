import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogId } from '../../../lambdas/shared/domain/log-id.ts';
import { logEntry } from '../../support/log-entries.ts';
import { type Caller, type ReportHarness, startReportHarness } from '../../support/report-harness.ts';

const startMs = Date.UTC(2026, 0, 31, 9, 30);

interface Page {
  object: string;
  data: { id: string; cost_usd: number }[];
  limit: number;
  offset: number;
  has_more: boolean;
  next_cursor: string | null;
}

describe('GET /api/logs', () => {
  let reports: ReportHarness;
  let caller: Caller;
  const ids = Array.from({ length: 5 }, (_, index) => createLogId(startMs + index * 1000));
  beforeAll(async () => {
    reports = await startReportHarness();
    caller = await reports.newCaller();
    const entries = ids.map((id, index) =>
      logEntry({
        id,
        organization_id: caller.organizationId,
        provider: index === 0 ? 'openrouter' : 'openai',
        model: index === 0 ? 'openai/gpt-4o' : index < 3 ? 'gpt-4o' : 'gpt-4o-mini',
        cost_usd: '0.000000000001',
      }),
    );
    await reports.write(...entries);
  });
  afterAll(() => reports.stop());

  const list = async (query: string) => (await reports.get('logs', { caller, query })).body as Page;
  const newest = (...indexes: number[]) => indexes.map((index) => ids[index]);

  it('answers with the newest entries first, in a list that says how it goes on', async () => {
    const page = await list('limit=2');
    expect(page.data.map(({ id }) => id)).toEqual(newest(4, 3));
    expect(page).toMatchObject({
      object: 'list',
      limit: 2,
      offset: 0,
      has_more: true,
      next_cursor: expect.any(String),
    });
    const rest = await list(`limit=3&cursor=${page.next_cursor}`);
    expect(rest.data.map(({ id }) => id)).toEqual(newest(2, 1, 0));
    expect(rest).toMatchObject({ has_more: false, next_cursor: null });
  });

  it('shows the fields in their order, and neither organization nor index keys', async () => {
    const { text } = await reports.get('logs', { caller, query: 'limit=1' });
    expect(text).toMatch(
      /"data":\[\{"id":"[^"]+","created_at":"2026-01-31T09:30:04.000Z","model":"gpt-4o-mini","response_model"/,
    );
    expect(text).toContain('"cost_usd":0.000000000001,');
    expect(text).not.toContain('organization');
    expect(text).not.toContain('expires_at');
  });

  it.each([
    ['offset=3', [1, 0]],
    ['model=gpt-4o', [2, 1]],
    ['model=openai/gpt-4o', [2, 1, 0]],
    ['model=openai/gpt-4o&provider=openrouter', [0]],
    ['provider=openrouter', [0]],
    ['model=gpt-4o&provider=openai&limit=1', [2]],
    ['model=nosuch', []],
    ['start=2026-01-31T09:30:01Z&end=2026-01-31T09:30:03Z', [2, 1]],
    ['start=2026-01-31T10:30:01%2B01:00&end=2026-01-31T09:30:02Z', [1]],
    ['end=2026-01-31T09:30:00Z', []],
  ])('takes %s', async (query, expected) => {
    expect((await list(query)).data.map(({ id }) => id)).toEqual(newest(...expected));
  });

  it.each([
    'limit=0',
    'limit=x',
    'offset=-1',
    'start=1',
    'end=2026-01-31',
    'cursor=x',
    'modle=x',
    'start=2026-02-01T00:00:00Z&end=2026-01-01T00:00:00Z',
  ])('answers %s with a 400 that names the parameter', async (query) => {
    const { status, body } = await reports.get('logs', { caller, query });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { type: 'invalid_request_error', param: query.split('=')[0] } });
  });

  it('shows nothing of another organization, and refuses its cursor', async () => {
    const stranger = await reports.newCaller();
    const { next_cursor } = await list('limit=2');
    expect((await reports.get('logs', { caller: stranger })).body).toMatchObject({
      data: [],
      has_more: false,
    });
    const crossed = await reports.get('logs', { caller: stranger, query: `cursor=${next_cursor}` });
    expect([crossed.status, crossed.body]).toEqual([
      400,
      { error: expect.objectContaining({ param: 'cursor' }) },
    ]);
  });

  it('answers 401 without a live key', async () => {
    const { status, body } = await reports.get('logs', {});
    expect([status, body]).toEqual([401, { error: expect.objectContaining({ code: 'invalid_api_key' }) }]);
  });
});
