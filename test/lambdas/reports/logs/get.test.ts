import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { updateCustomPrices } from '#lambdas/pricing/custom/store.ts';
import type { TokenPriceList } from '#lambdas/pricing/list-prices.ts';
import { createLogEntryEndpoint } from '#lambdas/reports/logs/endpoints.ts';
import type { LogEntryDependencies } from '#lambdas/reports/logs/entry.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { schemaErrors, schemaPointer } from '#test/support/openapi.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';
import { type Caller, type ReportFixture, startReportFixture } from '#test/support/reports/fixture.ts';

const startMs = Date.UTC(2026, 0, 31, 9, 30);
const dayMs = 86_400_000;
const notFound = {
  error: {
    message: 'There is no log entry with this id',
    type: 'invalid_request_error',
    param: null,
    code: 'not_found',
  },
};

describe('GET /api/logs/{id}', () => {
  let reports: ReportFixture;
  let caller: Caller;
  beforeAll(async () => {
    reports = await startReportFixture();
    caller = await reports.newCaller();
    reports.setTime(new Date(startMs + dayMs));
  });
  afterAll(() => reports.stop());

  /** A price of `openai/gpt-4o` for the caller's organization. */
  const setPrice = (from: string, prices: TokenPriceList) =>
    updateCustomPrices(
      {
        client: reports.database.documentClient,
        tableName: reports.tables.prices,
        now: () => new Date(startMs),
      },
      { model: 'openai/gpt-4o', organizationId: caller.organizationId },
      () => ({ prices: [{ from, tier: null, price: { prices, above: [] } }], result: null }),
    );

  it('returns the entry for an id in upper or lower case', async () => {
    const id = createLogId(startMs, 255);
    const entry = logEntry({ id, organization_id: caller.organizationId, cost_usd: '0.10', user_id: 'u' });
    await reports.write(entry);
    const { organization_id, ...fields } = entry;
    const { status, body } = await reports.get('log', { caller, id: entry.id.toUpperCase() });
    expect([status, body]).toEqual([200, { ...fields, cost_usd: 0.1, cost_breakdown: null }]);
  });

  it('explains the cost with the custom prices of the time of the entry', async () => {
    const at = Date.UTC(2026, 0, 31, 9);
    await setPrice('2026-01-31T09:00:00.000Z', { input: 3, output: 12, cache_read: 0.0000005 });
    const before = logEntry({ id: createLogId(at - 1), organization_id: caller.organizationId });
    const after = logEntry({
      id: createLogId(at),
      organization_id: caller.organizationId,
      cost_usd: '0.004128000512',
      pricing: 'configuration',
    });
    await reports.write(before, after);

    const [first, second] = await Promise.all(
      [before, after].map(async ({ id }) => reports.get('log', { caller, id })),
    );

    expect(first?.body).toMatchObject({
      cost_breakdown: [
        {
          model: 'gpt-4o-2024-08-06',
          charges: [
            { type: 'uncached_text_input_tokens', count: 176, price_usd: 2.5, cost_usd: 0.00044 },
            { type: 'cached_text_input_tokens', count: 1024, price_usd: 1.25, cost_usd: 0.00128 },
            { type: 'text_output_tokens', count: 172, price_usd: 10, cost_usd: 0.00172 },
            { type: 'reasoning_tokens', count: 128, price_usd: 10, cost_usd: 0.00128 },
          ],
          cost_usd: 0.00472,
        },
      ],
    });
    expect(second?.text).toContain(
      '"cost_breakdown":[{"model":"gpt-4o-2024-08-06","charges":[' +
        '{"type":"uncached_text_input_tokens","count":176,"price_usd":3,"per":1000000,"cost_usd":0.000528},' +
        '{"type":"cached_text_input_tokens","count":1024,"price_usd":0.0000005,"per":1000000,"cost_usd":0.000000000512},' +
        '{"type":"text_output_tokens","count":172,"price_usd":12,"per":1000000,"cost_usd":0.002064},' +
        '{"type":"reasoning_tokens","count":128,"price_usd":12,"per":1000000,"cost_usd":0.001536}' +
        '],"cost_usd":0.004128000512}]}',
    );
    expect(schemaErrors(second?.body, schemaPointer('LogEntryDetails'))).toEqual([]);
  });

  it('returns the billed parts of an entry that has several', async () => {
    const entry = logEntry({
      organization_id: caller.organizationId,
      pricing_gaps: ['code_execution'],
      billed_parts: [
        { model: 'claude-sonnet-4-5', input_tokens: 1000, output_tokens: 200, context_tokens: 600 },
        { model: 'claude-opus-4-5', input_tokens: 200, output_tokens: 100, cached_input_tokens: 24 },
      ],
    });
    await reports.write(entry);

    const { body, text } = await reports.get('log', { caller, id: entry.id });

    expect(text).toContain(`"pricing_gaps":["code_execution"]`);
    expect(text).toContain(`"billed_parts":${JSON.stringify(entry.billed_parts)},"cost_breakdown":null}`);
    expect(schemaErrors(body, schemaPointer('LogEntryDetails'))).toEqual([]);
  });

  it('returns 404 for an id that is unknown, not a UUID, or of another organization', async () => {
    const otherCaller = await reports.newCaller();
    const otherEntry = logEntry({ organization_id: otherCaller.organizationId });
    await reports.write(otherEntry);
    for (const id of ['0191f0a0-0000-7000-8000-000000000000', 'x', '', otherEntry.id]) {
      const { status, body } = await reports.get('log', { caller, id });
      expect([status, body]).toEqual([404, notFound]);
    }
  });

  it('returns 404 for an expired entry that is still in the table', async () => {
    const entry = logEntry({ id: createLogId(startMs), organization_id: caller.organizationId });
    await reports.write(entry);
    const get = () => reports.get('log', { caller, id: entry.id });
    reports.setTime(new Date(startMs + 90 * dayMs - 1));
    expect((await get()).status).toBe(200);
    reports.setTime(new Date(startMs + 90 * dayMs));
    const { status, body } = await get();
    expect([status, body]).toEqual([404, notFound]);
    reports.setTime(new Date(startMs + dayMs));
  });

  it('returns 400 for any query parameter', async () => {
    const { status, body } = await reports.get('log', { caller, id: createLogId(startMs), query: 'limit=1' });
    expect([status, body]).toEqual([400, { error: expect.objectContaining({ param: 'limit' }) }]);
  });
});

describe('The cost breakdown of GET /api/logs/{id}', () => {
  const get = (entry: LogEntry, loadCostExplainer: LogEntryDependencies['loadCostExplainer']) =>
    createLogEntryEndpoint({ logEntries: { find: async () => entry }, loadCostExplainer })({
      apiKey: requestKey(),
      organizationId: entry.organization_id,
      headers: {},
      query: {},
      pathId: entry.id,
    });

  it.each([null, 'provider', 'unknown'] as const)(
    'is null without loading the prices when pricing is %s',
    async (pricing) => {
      const loadCostExplainer = vi.fn();

      expect(await get(logEntry({ pricing }), loadCostExplainer)).toMatchObject({ cost_breakdown: null });
      expect(loadCostExplainer).not.toHaveBeenCalled();
    },
  );

  it('is null, with a line in the log, while the prices cannot be read', async () => {
    const lines = recordLogLines();
    const entry = logEntry();
    const failure = Object.assign(new Error('secret'), { name: 'TimeoutError' });

    expect(await get(entry, async () => () => Promise.reject(failure))).toMatchObject({
      id: entry.id,
      cost_breakdown: null,
    });
    expect(lines).toMatchObject([{ error: 'TimeoutError' }]);
  });
});
