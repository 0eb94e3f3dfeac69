import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logEntry } from '../../support/log-entries.ts';
import { type Caller, type ReportHarness, startReportHarness } from '../../support/report-harness.ts';

describe('GET /api/logs/{id}', () => {
  let reports: ReportHarness;
  let caller: Caller;
  beforeAll(async () => {
    reports = await startReportHarness();
    caller = await reports.newCaller();
  });
  afterAll(() => reports.stop());

  it('answers with the entry, whatever the case of its id', async () => {
    const entry = logEntry({ organization_id: caller.organizationId, cost_usd: '0.10', user_id: 'u' });
    await reports.write(entry);
    const { organization_id, ...fields } = entry;
    const { status, body } = await reports.get('log', { caller, id: entry.id.toUpperCase() });
    expect([status, body]).toEqual([200, { ...fields, cost_usd: 0.1 }]);
  });

  it('answers 404 for an id that is unknown, not a UUID, or of another organization', async () => {
    const stranger = await reports.newCaller();
    const foreign = logEntry({ organization_id: stranger.organizationId });
    await reports.write(foreign);
    for (const id of ['0191f0a0-0000-7000-8000-000000000000', 'x', '', foreign.id]) {
      const { status, body } = await reports.get('log', { caller, id });
      expect([status, body]).toEqual([
        404,
        {
          error: {
            message: 'There is no log entry with this id',
            type: 'invalid_request_error',
            param: null,
            code: 'not_found',
          },
        },
      ]);
    }
  });
});
