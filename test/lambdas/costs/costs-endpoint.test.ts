import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../lambdas/shared/domain/log-entry.ts';
import { createLogId, timestampOfLogId } from '../../../lambdas/shared/domain/log-id.ts';
import { addUsd } from '../../../lambdas/shared/domain/usd.ts';
import { logEntry } from '../../support/log-entries.ts';
import { type Caller, type ReportHarness, startReportHarness } from '../../support/report-harness.ts';

const noCosts = {
  total_requests: 0,
  total_cost_usd: 0,
  total_input_tokens: 0,
  total_output_tokens: 0,
  unpriced_requests: 0,
  by_model: {},
};

describe('GET /api/costs', () => {
  let reports: ReportHarness;
  beforeAll(async () => {
    reports = await startReportHarness();
  });
  afterAll(() => reports.stop());

  const costs = async (caller: Caller, query = '') => (await reports.get('costs', { caller, query })).body;
  const record = async (caller: Caller, ...fields: Partial<LogEntry>[]) => {
    const entries = fields.map((entry) => logEntry({ ...entry, organization_id: caller.organizationId }));
    await reports.write(...entries);
    await reports.rollUp(entries);
    return entries;
  };

  it('is empty where nothing was asked', async () => {
    expect(await costs(await reports.newCaller())).toEqual(noCosts);
  });

  it('sums up by model, and counts what has no price', async () => {
    const caller = await reports.newCaller();
    await record(
      caller,
      { cost_usd: '0.1' },
      { id: createLogId(Date.UTC(2026, 1, 1)), cost_usd: '0.2' },
      { id: createLogId(Date.UTC(2026, 1, 2)), model: 'new-model', cost_usd: '0', pricing: 'unknown' },
      { id: createLogId(Date.UTC(2026, 1, 3)), outcome: 'rejected', status: 400, cost_usd: '0' },
      {
        id: createLogId(Date.UTC(2026, 1, 4)),
        model: 'new-model',
        outcome: 'provider_error',
        input_tokens: null,
        output_tokens: null,
        cost_usd: '0',
        pricing: null,
      },
    );
    const { text } = await reports.get('costs', { caller });
    expect(text).toBe(
      '{"total_requests":4,"total_cost_usd":0.3,"total_input_tokens":3600,"total_output_tokens":900,"unpriced_requests":1,' +
        '"by_model":{"gpt-4o":{"requests":2,"cost_usd":0.3,"input_tokens":2400,"output_tokens":600,"unpriced_requests":0},' +
        '"new-model":{"requests":2,"cost_usd":0,"input_tokens":1200,"output_tokens":300,"unpriced_requests":1}}}',
    );
  });

  it('adds ten thousand awkward costs to the last digit', async () => {
    const caller = await reports.newCaller();
    const entries = Array.from({ length: 10_000 }, (_, index) =>
      logEntry({
        organization_id: caller.organizationId,
        cost_usd: `${index % 7}.${String(index * 7919 + 1).padStart(12, '0')}`,
      }),
    );
    for (let from = 0; from < entries.length; from += 1000)
      await reports.rollUp(entries.slice(from, from + 1000), from + 1);
    const { text } = await reports.get('costs', { caller });
    const expected = entries.map(({ cost_usd }) => cost_usd.replace(/\.?0+$/, '')).reduce(addUsd, '0');
    expect(text).toContain(`"total_cost_usd":${expected},`);
  });

  it('is exact for any window, to the millisecond', async () => {
    const caller = await reports.newCaller();
    const firstMs = Date.UTC(2026, 0, 30, 22, 58, 59, 990);
    const times = Array.from({ length: 200 }, (_, index) => firstMs + index * 777_777 + (index % 5));
    const entries = await record(
      caller,
      ...times.map((time, index) => ({
        id: createLogId(time),
        model: `m${index % 3}`,
        input_tokens: index,
        cost_usd: '0.000001',
      })),
    );
    // Bounds at entries, beside them, and at the starts of minutes, hours and days.
    const bound = fc.oneof(
      fc.tuple(fc.constantFrom(...times), fc.integer({ min: -1, max: 1 })).map(([time, step]) => time + step),
      fc
        .tuple(fc.constantFrom(...times), fc.constantFrom(60_000, 3_600_000, 86_400_000))
        .map(([time, unit]) => Math.floor(time / unit) * unit),
      fc.integer({ min: firstMs - 86_400_000, max: firstMs + 3 * 86_400_000 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.option(bound), fc.option(bound), async (left, right) => {
        const [start, end] = left !== null && right !== null && left > right ? [right, left] : [left, right];
        const query = new URLSearchParams({
          ...(start !== null && { start: new Date(start).toISOString() }),
          ...(end !== null && { end: new Date(end).toISOString() }),
        });
        const inside = entries.filter(({ id }) => {
          const time = timestampOfLogId(id);
          return (start === null || time >= start) && (end === null || time < end);
        });
        expect(await costs(caller, String(query))).toMatchObject({
          total_requests: inside.length,
          total_input_tokens: inside.reduce((sum, { input_tokens }) => sum + (input_tokens ?? 0), 0),
          total_cost_usd: Number((inside.length * 1e-6).toFixed(6)),
        });
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    'start=x',
    'end=2026-01-31',
    'model=gpt-4o',
    'start=2026-02-01T00:00:00Z&end=2026-01-01T00:00:00Z',
  ])('answers %s with a 400 that names the parameter', async (query) => {
    const { status, body } = await reports.get('costs', { caller: await reports.newCaller(), query });
    expect([status, body]).toEqual([400, { error: expect.objectContaining({ param: query.split('=')[0] }) }]);
  });

  it("shows nothing of another organization's costs", async () => {
    await record(await reports.newCaller(), {});
    expect(await costs(await reports.newCaller())).toEqual(noCosts);
  });
});
