import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { schemaErrors, schemaPointer } from '#test/support/openapi.ts';
import { type Caller, type ReportHarness, startReportHarness } from '#test/support/reports/harness.ts';

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
  let reports: ReportHarness;
  let caller: Caller;
  beforeAll(async () => {
    reports = await startReportHarness();
    caller = await reports.newCaller();
    reports.setTime(new Date(startMs + dayMs));
  });
  afterAll(() => reports.stop());

  it('returns the entry for an id in upper or lower case', async () => {
    const id = createLogId(startMs, 255);
    const entry = logEntry({ id, organization_id: caller.organizationId, cost_usd: '0.10', user_id: 'u' });
    await reports.write(entry);
    const { organization_id, ...fields } = entry;
    const { status, body } = await reports.get('log', { caller, id: entry.id.toUpperCase() });
    expect([status, body]).toEqual([200, { ...fields, cost_usd: 0.1 }]);
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
    expect(text).toContain(`"billed_parts":${JSON.stringify(entry.billed_parts)}}`);
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
