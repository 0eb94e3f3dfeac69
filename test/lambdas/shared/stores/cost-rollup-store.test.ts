import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogId } from '../../../../lambdas/shared/domain/log-id.ts';
import {
  addTotals,
  contributionOf,
  noTotals,
  type RollupRecord,
  type Totals,
} from '../../../../lambdas/shared/domain/rollup.ts';
import { allTime } from '../../../../lambdas/shared/domain/time-window.ts';
import {
  type CostRollupsTable,
  createCostRollupReader,
  createCostRollupWriter,
} from '../../../../lambdas/shared/stores/cost-rollup-store.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '../../../support/embedded-dynamodb.ts';
import { logEntry } from '../../../support/log-entries.ts';
import { createTables } from '../../../support/tables.ts';

const startMs = Date.UTC(2026, 0, 31, 23, 59, 59);

describe('the store of cost rollups', () => {
  let database: EmbeddedDynamoDB;
  let table: CostRollupsTable;
  let organizations = 0;
  beforeAll(async () => {
    database = await startEmbeddedDynamoDB();
    table = {
      client: database.documentClient,
      tableName: (await createTables(database)).costRollups,
    };
  });
  afterAll(() => database.stop());

  const newOrganization = () => `org_${++organizations}`;
  const totalsOf = async (
    organizationId: string,
    period: 'day' | 'hour' | 'minute' = 'day',
    window = allTime,
  ) => {
    const rollups = await Array.fromAsync(createCostRollupReader(table).read(organizationId, period, window));
    return rollups.map(({ totals }) => totals).reduce(addTotals, noTotals);
  };
  const record = (organization_id: string, index: number, offsetMs = 0, first = 1): RollupRecord => ({
    sequenceNumber: String(first + index),
    entry: logEntry({
      id: createLogId(startMs + offsetMs),
      organization_id,
      model: index % 3 === 0 ? 'a' : 'b',
      cost_usd: `0.${String(index + 1).padStart(12, '0')}`,
      input_tokens: index,
      output_tokens: 2 * index,
    }),
  });

  it('keeps sums by provider and model for each minute, hour and day', async () => {
    const organization = newOrganization();
    const writer = createCostRollupWriter(table);
    await writer.add('shard-1', [
      record(organization, 0),
      record(organization, 1, 1000),
      record(organization, 2),
    ]);
    const sum = {
      requests: 2,
      cost_usd: '0.000000000004',
      input_tokens: 2,
      output_tokens: 4,
      unpriced_requests: 0,
    };
    expect(
      await totalsOf(organization, 'minute', {
        startMs: Date.UTC(2026, 0, 31, 23, 59),
        endMs: Date.UTC(2026, 1, 1),
      }),
    ).toEqual(sum);
    expect(
      await totalsOf(organization, 'hour', {
        startMs: Date.UTC(2026, 0, 31, 23),
        endMs: Date.UTC(2026, 1, 1),
      }),
    ).toEqual(sum);
    expect(await totalsOf(organization, 'day')).toEqual({
      requests: 3,
      cost_usd: '0.000000000006',
      input_tokens: 3,
      output_tokens: 6,
      unpriced_requests: 0,
    });
  });

  it('counts a record once when the batch comes again, in other pieces and beside another shard', async () => {
    const organization = newOrganization();
    const writer = createCostRollupWriter(table);
    // Numbers of different lengths: they must not be compared as plain text.
    const records = Array.from({ length: 12 }, (_, index) => record(organization, index, 0, 95));
    const others = Array.from({ length: 3 }, (_, index) => record(organization, index, 0, 7));
    await writer.add('shard-1', records.slice(0, 5));
    await Promise.all([writer.add('shard-1', records.slice(0, 5)), writer.add('shard-2', others)]);
    await writer.add('shard-1', records.slice(2, 9));
    await writer.add('shard-1', records);
    await writer.add('shard-2', others.slice(1));
    expect((await totalsOf(organization)).requests).toBe(15);
  });

  it('equals a plain sum for any schedule of crashes, splits and redeliveries', async () => {
    const schedule = fc.record({
      sizes: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
      deliveries: fc.array(
        fc.record({ from: fc.nat(40), to: fc.nat(40), crashAfterWrites: fc.option(fc.nat(6)) }),
        { maxLength: 8 },
      ),
      minutes: fc.array(fc.nat(3), { minLength: 1, maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(schedule, async ({ sizes, deliveries, minutes }) => {
        const organization = newOrganization();
        const shards = sizes.map((size, shard) => ({
          id: `shard-${shard}`,
          records: Array.from({ length: size }, (_, index) =>
            record(organization, index, 60_000 * (minutes[index % minutes.length] ?? 0)),
          ),
        }));
        await Promise.all(
          shards.map(async ({ id, records }) => {
            let reached = 0;
            for (const { from, to, crashAfterWrites } of deliveries) {
              // A shard goes on at or before the record that it reached, never behind it.
              const batch = records.slice(from % (reached + 1), Math.max(to % (records.length + 1), reached));
              const crashed = await deliver(table, id, batch, crashAfterWrites);
              if (!crashed) reached = Math.max(reached, Math.max(to % (records.length + 1), reached));
            }
            await deliver(table, id, records, null);
          }),
        );
        const entries = shards
          .flatMap(({ records }) => records)
          .map(({ entry }) => contributionOf(entry)?.totals ?? noTotals);
        const expected: Totals = entries.reduce(addTotals, noTotals);
        for (const period of ['day', 'hour', 'minute'] as const)
          expect(await totalsOf(organization, period)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});

/** Adds a batch with a function that may die after some writes, as a Lambda that times out does. */
async function deliver(
  table: CostRollupsTable,
  shardId: string,
  batch: RollupRecord[],
  crashAfterWrites: number | null,
) {
  let writes = 0;
  const dying = Object.create(table.client, {
    send: {
      value: (command: Parameters<typeof table.client.send>[0]) => {
        if (crashAfterWrites !== null && writes++ >= crashAfterWrites) throw new Error('killed');
        return table.client.send(command);
      },
    },
  });
  try {
    await createCostRollupWriter({ ...table, client: dying }).add(shardId, batch);
    return false;
  } catch (error) {
    expect(error).toEqual(new Error('killed'));
    return true;
  }
}
