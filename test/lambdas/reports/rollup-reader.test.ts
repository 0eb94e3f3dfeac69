import type { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import type { RollupKey } from '#lambdas/costs/rollups/rollup.ts';
import type { RowUpdate } from '#lambdas/costs/rollups/row-updates.ts';
import { noTotals } from '#lambdas/costs/rollups/totals.ts';
import { createCostRollupWriter } from '#lambdas/costs/rollups/writer.ts';
import type { Period } from '#lambdas/platform/period.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { createCostRollupReader, type RollupRange } from '#lambdas/reports/rollup-reader.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { meterReads } from '#test/support/dynamodb/read-meter.ts';
import { createRollupsTable } from '#test/support/dynamodb/rollups-table.ts';

let database: EmbeddedDynamoDB;
let table: CostRollupsTable;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  table = await createRollupsTable(database);
});
afterAll(() => database.stop());

function row(key: Partial<RollupKey>, requests = 1): RowUpdate {
  const totals = { ...noTotals, requests, cost_usd: '0.5', input_tokens: 1, output_tokens: 2 };
  return {
    generation: 0,
    key: {
      organizationId: 'org_1',
      dimension: 'totals',
      period: 'day',
      writeShard: 0,
      periodStart: '2026-01-31',
      value: null,
      provider: 'openai',
      operation: 'chat.completions',
      serviceTier: null,
      model: 'gpt-4o',
      ...key,
    },
    additions: [{ sequenceNumber: '1', totals, writtenAtMs: null }],
  };
}

/** Reads pages of ten rows, and records the number of rows of each page in `pageSizes`. */
function withSmallPages(pageSizes: number[]): CostRollupsTable {
  const send = async (command: QueryCommand) => {
    command.input.Limit = 10;
    const page = await table.client.send(command);
    pageSizes.push(page.Items?.length ?? 0);
    return page;
  };
  return { ...table, client: Object.create(table.client, { send: { value: send } }) };
}

const add = (rows: RowUpdate[]) => createCostRollupWriter(table, () => new Date(0)).add('shardId-1', rows);

const read = (range: Partial<RollupRange>) =>
  Array.fromAsync(
    createCostRollupReader(table).read({
      organizationId: 'org_1',
      generation: 0,
      dimension: 'totals',
      period: 'day',
      writeShards: 1,
      window: allTime,
      ...range,
    }),
  );

describe('createCostRollupReader', () => {
  it.each<[Period, string[], string, string]>([
    ['month', ['2025-12', '2026-01', '2026-02', '2026-03'], '2026-01-01T00:00:00Z', '2026-03-01T00:00:00Z'],
    [
      'day',
      ['2026-01-30', '2026-01-31', '2026-02-01', '2026-02-02'],
      '2026-01-31T00:00:00Z',
      '2026-02-02T00:00:00Z',
    ],
    [
      'hour',
      ['2026-01-31T22', '2026-01-31T23', '2026-02-01T00', '2026-02-01T01'],
      '2026-01-31T23:00:00Z',
      '2026-02-01T01:00:00Z',
    ],
    [
      'minute',
      ['2026-01-31T23:58', '2026-01-31T23:59', '2026-02-01T00:00', '2026-02-01T00:01'],
      '2026-01-31T23:59:00Z',
      '2026-02-01T00:01:00Z',
    ],
  ])(
    'includes the first %s of the window and excludes the one after its end',
    async (period, starts, start, end) => {
      const organizationId = `org_${period}`;
      await add(
        starts.map((periodStart, index) => row({ organizationId, period, periodStart }, 10 ** index)),
      );
      const window = { startMs: Date.parse(start), endMs: Date.parse(end) };
      const rollups = await read({ organizationId, period, window });
      expect(rollups.map(({ totals }) => totals.requests)).toEqual([10, 100]);
      expect(rollups[0]?.startMs).toBe(window.startMs);
    },
  );

  it('reads all pages of all write shards', async () => {
    const organizationId = 'org_shards';
    // Write shard 9 has 44 rows, write shard 0 has four, and write shards 1 to 8 have one or none.
    const writeShard = (index: number) => (index < 44 ? 9 : index < 48 ? 0 : index - 47);
    const rows = Array.from({ length: 52 }, (_, index) =>
      row(
        { organizationId, dimension: 'user_id', writeShard: writeShard(index), value: `user-${index}` },
        index,
      ),
    );
    await add(rows);
    const pageSizes: number[] = [];
    const inSmallPages = (writeShards: number) =>
      Array.fromAsync(
        createCostRollupReader(withSmallPages(pageSizes)).read({
          organizationId,
          generation: 0,
          dimension: 'user_id',
          period: 'day',
          writeShards,
          window: allTime,
        }),
      );

    const rollups = await inSmallPages(10);
    expect(rollups.map(({ value }) => value).sort()).toEqual(rows.map(({ key }) => key.value).sort());
    expect(rollups.reduce((sum, { totals }) => sum + totals.requests, 0)).toBe((51 * 52) / 2);
    expect(pageSizes.filter((items) => items === 10)).toHaveLength(4);
    expect((await inSmallPages(1)).map(({ value }) => value)).toEqual([
      'user-44',
      'user-45',
      'user-46',
      'user-47',
    ]);
  });

  it('uses consistent reads, so that totals read after groups are never behind them', async () => {
    const meter = meterReads(database.client);
    await read({ writeShards: 2 });
    expect(meter.take().map(({ input }) => input.ConsistentRead)).toEqual([true, true]);
  });

  it('separates organizations, generations, dimensions and periods', async () => {
    const organizationId = 'org_apart';
    await add([
      row({ organizationId }, 1),
      { ...row({ organizationId }, 2), generation: 1 },
      row({ organizationId, dimension: 'user_id', value: 'ada' }, 4),
      row({ organizationId, period: 'month', periodStart: '2026-01' }, 8),
      row({ organizationId: `${organizationId}2` }, 16),
    ]);
    expect((await read({ organizationId })).map(({ totals }) => totals.requests)).toEqual([1]);
    expect((await read({ organizationId, generation: 1 })).map(({ totals }) => totals.requests)).toEqual([2]);
    const users = await read({ organizationId, dimension: 'user_id' });
    expect(users).toEqual([
      {
        startMs: Date.UTC(2026, 0, 31),
        provider: 'openai',
        operation: 'chat.completions',
        serviceTier: null,
        model: 'gpt-4o',
        value: 'ada',
        totals: { ...noTotals, requests: 4, cost_usd: '0.5', input_tokens: 1, output_tokens: 2 },
      },
    ]);
  });

  it('reads only the rows of a value, for any values', async () => {
    const organizationId = 'org_values';
    const values = ['a', 'a#', 'a$', 'ab', '1:a', '#', '$', 'ä', '😀'];
    const days = ['2026-01-30', '2026-01-31', '2026-02-01'];
    const rows = days.flatMap((periodStart, day) =>
      values.flatMap((value, index) =>
        ['gpt-4o', 'gpt-5'].map((model) =>
          row(
            { organizationId, dimension: 'user_id', writeShard: index % 2, periodStart, value, model },
            day + 1,
          ),
        ),
      ),
    );
    await add(rows);
    const window = { startMs: Date.UTC(2026, 0, 31), endMs: Date.UTC(2026, 1, 2) };
    const meter = meterReads(database.client);
    for (const value of values) {
      const rollups = await read({ organizationId, dimension: 'user_id', writeShards: 2, window, value });
      expect(rollups.map((rollup) => rollup.value)).toEqual([value, value, value, value]);
      expect(rollups.reduce((sum, { totals }) => sum + totals.requests, 0)).toBe(2 * (2 + 3));
      expect(meter.take()).toHaveLength(4);
    }
  });

  it('finds the time from the first to the last period with rows', async () => {
    const organizationId = 'org_first';
    const partitions = { organizationId, generation: 0, dimension: 'user_id', writeShards: 2 } as const;
    await add([
      row({ organizationId, dimension: 'user_id', writeShard: 0, value: 'a', periodStart: '2026-01-31' }),
      row({ organizationId, dimension: 'user_id', writeShard: 1, value: 'b', periodStart: '2026-01-30' }),
    ]);
    const reader = createCostRollupReader(table);
    expect(await reader.findSpan({ ...partitions, period: 'day' })).toEqual({
      startMs: Date.UTC(2026, 0, 30),
      endMs: Date.UTC(2026, 1, 1),
    });
    expect(await reader.findSpan({ ...partitions, period: 'month' })).toBeNull();
  });
});
