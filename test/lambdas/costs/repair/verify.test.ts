import type { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RepairDependencies } from '#lambdas/costs/repair/complete-entries.ts';
import { type Verification, verifyOrganization } from '#lambdas/costs/repair/verify.ts';
import { beginReprice, endReprice } from '#lambdas/costs/reprice/run.ts';
import { periodText } from '#lambdas/platform/period.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import type { RepairTables } from './support/repair-fixture.ts';
import {
  createSequentialRepairFixture,
  type SequentialRepairFixture,
} from './support/sequential-repair-fixture.ts';

const now = '2026-03-14T15:09:26.000Z';
const settleMs = 5 * 60_000;

let database: EmbeddedDynamoDB;
let tables: RepairTables;
let fixture: SequentialRepairFixture;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = { ...(await createTables(database)), client: database.documentClient };
});
afterAll(() => database.stop());
beforeEach(() => {
  fixture = createSequentialRepairFixture(tables, now);
});

const groups: Partial<LogEntry> = {
  prompt_id: 'p',
  session_id: 's#1',
  user_id: 'u/ü',
  model: 'a',
  outcome: 'provider_error',
  status: 502,
  error_code: 'weird',
};

async function verify(dependencies: RepairDependencies = fixture.dependencies(), fromMs = 0) {
  const { organizationId } = fixture;
  return verifyOrganization(dependencies, { organizationId, fromMs, settleMs, onDay() {} });
}

function toLines({ differences }: Verification): string[] {
  const lines = differences.map((difference) => {
    const { dimension, period, startMs, value, model, actual, expected, comparedWith } = difference;
    const requests = `${actual.requests} instead of ${expected.requests}`;
    return `${dimension} ${period} ${periodText(period, startMs)} ${value} ${model}: ${requests} (${comparedWith})`;
  });
  return lines.sort();
}

const differences = async (dependencies?: RepairDependencies) => toLines(await verify(dependencies));

describe('verifyOrganization with correct rollups', () => {
  it('finds no differences in any dimension and shard', async () => {
    fixture.logShards = 3;
    await fixture.writeEntry('2026-03-12T23:59:59.999Z', groups);
    await fixture.writeEntry('2026-03-13T00:00:00.000Z', { ...groups, shard: 2 });
    await fixture.writeEntry('2026-03-13T00:00:59.000Z', { ...groups, shard: 1, user_id: '🂡' });
    await fixture.writeEntry('2026-03-13T00:00:59.500Z', { ...groups, shard: 1, user_id: '\u{ff61}' });
    await fixture.writeEntry('2026-03-14T10:00:00.000Z', { ...groups, outcome: 'rejected' });
    await fixture.processStream();

    expect(await verify()).toMatchObject({
      window: { fromMs: Date.parse('2026-03-12'), toMs: Date.parse(now) },
      entries: 5,
      differences: [],
      unsettledRows: 0,
    });
    expect(fixture.waits).toEqual([]);
  });

  it('returns no window and no differences without entries', async () => {
    expect(await verify()).toMatchObject({ window: null, entries: 0, rows: 0, differences: [] });
  });

  it('compares from the requested day on', async () => {
    await fixture.writeEntry('2026-03-11T10:00:00.000Z');
    await fixture.writeEntry('2026-03-12T10:00:00.000Z');

    const { window, entries } = await verify(fixture.dependencies(), Date.parse('2026-03-12T18:00:00Z'));

    expect({ window, entries }).toEqual({
      window: { fromMs: Date.parse('2026-03-12'), toMs: Date.parse(now) },
      entries: 1,
    });
  });

  it('does not compare rows with a recent entry', async () => {
    await fixture.writeEntry('2026-03-14T14:00:00.000Z', groups);
    await fixture.writeEntry('2026-03-14T15:05:00.000Z', groups);
    await fixture.processStream();
    await fixture.writeEntry('2026-03-14T15:06:00.000Z', groups);

    const verification = await verify();

    // Each entry has a minute in the totals, and they share an hour in each dimension.
    expect(verification).toMatchObject({ differences: [], unsettledRows: 8 });
  });

  it('finds no differences while an entry is being counted', async () => {
    await fixture.writeEntry('2026-03-14T14:00:00.000Z', groups);
    await fixture.processStream();
    // The function has updated the day, but not the month yet.
    await fixture.addToRow('totals#day#0 2026-03-14#openai/7:default/a', { requests: 1 });
    await fixture.addToRow('totals#hour#0 2026-03-14T15#openai/7:default/a', { requests: 1 });
    await fixture.writeEntry('2026-03-14T15:09:00.000Z', { model: 'a' });

    const onWait = () => fixture.addToRow('totals#month#0 2026-03#openai/7:default/a', { requests: 1 });

    expect(await differences(fixture.dependencies({ onWait }))).toEqual([]);
    expect(fixture.waits.map(({ ms }) => ms)).toEqual([settleMs]);
  });

  it('finds no differences while an entry of a past day is repriced', async () => {
    await fixture.writeEntry('2026-03-12T10:00:00.000Z', { model: 'a', cost_usd: '1' });
    await fixture.processStream();
    const costs = { cost_usd: '2' };
    let reading: Promise<void> | null = null;
    const dependencies = fixture.dependencies({
      // The function has updated the month and the day, and updates the hour during the wait.
      onWait: () => fixture.addToRow('totals#hour#0 2026-03-12T10#openai/7:default/a', costs),
    });
    const reprice = async () => {
      const { organizationId } = fixture;
      const run = { organizationId, id: 'run', startedAt: new Date(fixture.nowMs) };
      const rollups = { client: fixture.client, tableName: tables.costRollups };
      await beginReprice(rollups, run);
      for (const row of ['totals#month#0 2026-03', 'totals#day#0 2026-03-12'])
        await fixture.addToRow(`${row}#openai/7:default/a`, costs);
      await endReprice(rollups, run, new Date(fixture.nowMs));
    };
    const send = async (command: QueryCommand) => {
      const { ':pk': partition } = command.input.ExpressionAttributeValues ?? {};
      if (partition?.includes('#totals#day#')) reading ??= reprice();
      await reading;
      return dependencies.costRollups.client.send(command);
    };
    const client = Object.create(dependencies.costRollups.client, { send: { value: send } });

    expect(
      await differences({ ...dependencies, costRollups: { ...dependencies.costRollups, client } }),
    ).toEqual([]);
  });

  it('finds no differences when a rebuild activates another generation during the comparison', async () => {
    await fixture.writeEntry('2026-03-13T10:00:00.000Z', groups);
    await fixture.processStream();
    const dependencies = fixture.dependencies();
    let calls = 0;
    const directory: RepairDependencies['directory'] = {
      async logShardsOf() {
        calls += 1;
        if (calls === 1) await fixture.rebuild();
        return 1;
      },
    };

    expect((await verify({ ...dependencies, directory })).differences).toEqual([]);
    expect(calls).toBe(3);
  });
});

describe('verifyOrganization with incorrect rollups', () => {
  const dimensions = ['totals', 'api_key', 'prompt_id', 'session_id', 'user_id', 'error_code'];
  const values: Record<string, string> = {
    api_key: '20:key_AAAAAAAAAAAAAAAA#',
    prompt_id: '1:p#',
    session_id: '3:s#1#',
    user_id: '3:u/ü#',
    error_code: '12:provider:502#',
  };
  const row = (dimension: string, period: string, start: string) =>
    `${dimension}#${period}#0 ${start}#${values[dimension] ?? ''}openai/7:default/a`;

  beforeEach(async () => {
    await fixture.writeEntry('2026-03-12T10:00:00.000Z', groups);
    await fixture.writeEntry('2026-03-13T11:30:00.000Z', groups);
    await fixture.processStream();
  });

  it('finds differences in every period and dimension', async () => {
    await fixture.addToRow(row('totals', 'minute', '2026-03-12T10:00'), { requests: 1 });
    for (const dimension of dimensions) {
      await fixture.addToRow(row(dimension, 'hour', '2026-03-12T10'), { requests: 10 });
      await fixture.addToRow(row(dimension, 'day', '2026-03-12'), { requests: 100 });
      if (dimension !== 'error_code')
        await fixture.addToRow(row(dimension, 'month', '2026-03'), { requests: 1000 });
    }

    const found = await differences();

    const named: Record<string, string> = {
      totals: 'null',
      api_key: 'key_AAAAAAAAAAAAAAAA',
      prompt_id: 'p',
      session_id: 's#1',
      user_id: 'u/ü',
      error_code: 'provider:502',
    };
    expect(found).toEqual(
      [
        'totals minute 2026-03-12T10:00 null a: 2 instead of 1 (entries)',
        ...dimensions.flatMap((dimension) => [
          `${dimension} hour 2026-03-12T10 ${named[dimension]} a: 11 instead of 1 (entries)`,
          `${dimension} day 2026-03-12 ${named[dimension]} a: 101 instead of 11 (hour)`,
          ...(dimension === 'error_code'
            ? []
            : [`${dimension} month 2026-03 ${named[dimension]} a: 1002 instead of 102 (day)`]),
        ]),
      ].sort(),
    );
  });

  it('finds rows of another service tier or operation, and assumed costs that differ', async () => {
    const requestsAt = (tier: string, hour: string, requests: number) =>
      fixture.addToRow(`totals#hour#0 ${hour}#openai/${tier}/a`, { requests });
    await requestsAt('7:default', '2026-03-12T10', -1);
    await requestsAt('4:flex', '2026-03-12T10', 1);
    await requestsAt('', '2026-03-12T10', 1);
    await requestsAt('embeddings/7:default', '2026-03-12T10', 1);
    await fixture.addToRow(row('totals', 'hour', '2026-03-13T11'), {
      assumed_requests: 1,
      assumed_cost_usd: '0.000000000001',
    });

    const { differences: found } = await verify();

    const byEntries = found.filter(({ comparedWith }) => comparedWith === 'entries');
    const tiers = byEntries.filter(({ startMs }) => startMs < Date.parse('2026-03-13'));
    expect(
      tiers.map(({ operation, serviceTier, actual, expected }) => [
        operation,
        serviceTier,
        actual.requests,
        expected.requests,
      ]),
    ).toEqual([
      ['chat.completions', null, 1, 0],
      ['chat.completions', 'flex', 1, 0],
      ['chat.completions', 'default', 0, 1],
      ['embeddings', 'default', 1, 0],
    ]);
    const assumed = byEntries.filter((each) => !tiers.includes(each));
    expect(assumed.map((each) => [each.serviceTier, each.actual, each.expected])).toEqual([
      [
        'default',
        expect.objectContaining({ assumed_requests: 1, assumed_cost_usd: '0.000000000001' }),
        expect.objectContaining({ assumed_requests: 0, assumed_cost_usd: '0' }),
      ],
    ]);
    expect(found).toHaveLength(10);
  });

  it('finds missing rows', async () => {
    await fixture.removeRow(row('totals', 'minute', '2026-03-12T10:00'));
    await fixture.removeRow(row('user_id', 'hour', '2026-03-12T10'));
    await fixture.removeRow(row('prompt_id', 'day', '2026-03-13'));
    await fixture.removeRow(row('api_key', 'month', '2026-03'));

    expect(await differences()).toEqual([
      'api_key month 2026-03 key_AAAAAAAAAAAAAAAA a: 0 instead of 2 (day)',
      'prompt_id day 2026-03-13 p a: 0 instead of 1 (hour)',
      'prompt_id month 2026-03 p a: 2 instead of 1 (day)',
      'totals minute 2026-03-12T10:00 null a: 0 instead of 1 (entries)',
      'user_id day 2026-03-12 u/ü a: 1 instead of 0 (hour)',
      'user_id hour 2026-03-12T10 u/ü a: 0 instead of 1 (entries)',
    ]);
  });

  it('finds rows that no entry belongs to', async () => {
    await fixture.addToRow('totals#minute#0 2026-03-12T10:07#openai/7:default/a', { requests: 1 });
    await fixture.addToRow('user_id#hour#0 2026-03-13T04#1:x#openai/7:default/a', { requests: 1 });
    await fixture.addToRow('session_id#day#0 2026-03-13#1:x#openai/7:default/b', { requests: 1 });

    expect(await differences()).toEqual([
      'session_id day 2026-03-13 x b: 1 instead of 0 (hour)',
      'session_id month 2026-03 x b: 0 instead of 1 (day)',
      'totals minute 2026-03-12T10:07 null a: 1 instead of 0 (entries)',
      'user_id day 2026-03-13 x a: 0 instead of 1 (hour)',
      'user_id hour 2026-03-13T04 x a: 1 instead of 0 (entries)',
    ]);
  });

  it.each([
    ['cost_usd', { cost_usd: '0.000000000001' }],
    ['input_tokens', { input_tokens: -1 }],
    ['output_tokens', { output_tokens: 1 }],
    ['unpriced_requests', { unpriced_requests: 1 }],
    ['cached_input_tokens', { cached_input_tokens: 1 }],
    ['timeout_requests', { timeout_requests: 1 }],
    ['overhead_ms', { overhead_ms: -1 }],
    ['a histogram', { histograms: { f36: 1 } }],
  ])('finds a row in which only %s differs', async (_, fields) => {
    await fixture.addToRow(row('totals', 'minute', '2026-03-12T10:00'), fields);

    expect(await differences()).toEqual(['totals minute 2026-03-12T10:00 null a: 1 instead of 1 (entries)']);
  });

  it('finds a persistent difference in the current month', async () => {
    await fixture.addToRow(row('totals', 'month', '2026-03'), { requests: 1 });

    expect(await differences()).toEqual(['totals month 2026-03 null a: 3 instead of 2 (day)']);
    expect(fixture.waits.map(({ ms }) => ms)).toEqual([settleMs, 10_000, 10_000]);
  });

  it('finds an entry that was not counted in time', async () => {
    await fixture.writeEntry('2026-03-14T15:04:25.000Z', { model: 'b' });

    expect(await differences()).toEqual([
      'api_key hour 2026-03-14T15 key_AAAAAAAAAAAAAAAA b: 0 instead of 1 (entries)',
      'totals hour 2026-03-14T15 null b: 0 instead of 1 (entries)',
      'totals minute 2026-03-14T15:04 null b: 0 instead of 1 (entries)',
    ]);
  });

  it('ignores days whose entries have expired', async () => {
    await fixture.writeEntry('2025-12-01T10:00:00.000Z', { model: 'a' });
    await fixture.writeEntry('2025-12-14T15:30:00.000Z', { model: 'a' });
    await fixture.writeEntry('2025-12-15T15:30:00.000Z', { model: 'a' });
    await fixture.processStream();
    for (const start of ['2025-12-01', '2025-12-14', '2025-12-15'])
      await fixture.addToRow(`totals#hour#0 ${start}T15#openai/7:default/a`, { requests: 1 });

    const verification = await verify();

    expect(verification.window).toEqual({ fromMs: Date.parse('2025-12-15'), toMs: Date.parse(now) });
    expect(toLines(verification)).toEqual([
      'totals day 2025-12-15 null a: 1 instead of 2 (hour)',
      'totals hour 2025-12-15T15 null a: 2 instead of 1 (entries)',
    ]);
  });

  it('reports the day of the first unconfirmed difference as the resume time', async () => {
    await fixture.addToRow(row('totals', 'day', '2026-03-13'), { requests: 1 });
    const { organizationId } = fixture;
    const resumes: string[] = [];
    const onDay = ({ resumeMs }: { resumeMs: number }) => resumes.push(periodText('day', resumeMs));

    await verifyOrganization(fixture.dependencies(), { organizationId, fromMs: 0, settleMs, onDay });

    expect(resumes).toEqual(['2026-03-12', '2026-03-13', '2026-03-13']);
  });

  it('ends the comparison after the day with the thousandth difference', async () => {
    const minutes = Array.from(
      { length: 1010 },
      (_, minute) => new Date(Date.parse('2026-03-12T10:01Z') + minute * 60_000),
    );
    await Promise.all(
      minutes.map((minute) =>
        fixture.addToRow(`totals#minute#0 ${minute.toISOString().slice(0, 16)}#openai/7:default/x`, {
          requests: 1,
        }),
      ),
    );

    expect((await verify()).differences).toHaveLength(1010);
    expect(fixture.waits).toEqual([]);
  });
});
