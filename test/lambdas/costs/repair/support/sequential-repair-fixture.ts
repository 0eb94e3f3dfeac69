/** A fixture that changes only when the test calls it: no concurrent events. */
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  type QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { RepairDependencies } from '#lambdas/costs/repair/complete-entries.ts';
import { rebuildRollups } from '#lambdas/costs/repair/rebuild.ts';
import { totalsAdditions } from '#lambdas/costs/rollups/item.ts';
import { noTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { updateExpressions } from '#lambdas/platform/dynamodb/expressions.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { isConsumed } from '#test/lambdas/costs/rollups/support/stream-shard.ts';
import {
  createEntry,
  createRepairFixture,
  putEntry,
  type RepairFixture,
  type RepairTables,
} from './repair-fixture.ts';

interface JobOptions {
  onWait?: (reason: string) => Promise<void>;
  onReport?: (text: string) => void;
  signal?: AbortSignal;
  afterCall?: (input: object) => void;
}

export interface SequentialRepairFixture extends RepairFixture {
  /** Writes the entry of a request that was received and finished at this time. */
  writeEntry(createdAt: string, fields?: Partial<LogEntry> & { shard?: number }): Promise<void>;
  processStream(): Promise<void>;
  /** Adds to a row, such as `totals#day#0 2026-03-14#openai/7:default/a`, and creates it if it does not exist. */
  addToRow(row: string, fields: Partial<Totals>, generation?: number): Promise<void>;
  removeRow(row: string, generation?: number): Promise<void>;
  /** Waits only advance the clock. */
  dependencies(job?: JobOptions): RepairDependencies;
  rebuild(): ReturnType<typeof rebuildRollups>;
  waits: { ms: number; reason: string }[];
}

export function createSequentialRepairFixture(tables: RepairTables, now: string): SequentialRepairFixture {
  const base = createRepairFixture(tables, Date.parse(now));
  const keyOf = (row: string, generation: number) => {
    const [partition, sk = ''] = [row.slice(0, row.indexOf(' ')), row.slice(row.indexOf(' ') + 1)];
    return { pk: `${base.organizationId}#${generation}#${partition}`, sk };
  };
  const waits: SequentialRepairFixture['waits'] = [];
  const fixture: SequentialRepairFixture = Object.assign(base, {
    waits,
    async writeEntry(
      createdAt: string,
      { shard = 0, ...fields }: Partial<LogEntry> & { shard?: number } = {},
    ) {
      const createdMs = Date.parse(createdAt);
      await putEntry(base, {
        ...createEntry(base, { createdMs, shard, fields }),
        writtenAtMs: createdMs,
      });
    },
    async processStream() {
      for (const shard of base.shards) {
        if (isConsumed(shard)) continue;
        const Records = shard.records.slice(shard.checkpoint).map(({ record }) => record);
        await base.handlerWith(base.client)({ shardId: shard.id, Records });
        shard.checkpoint = shard.records.length;
      }
    },
    async addToRow(row: string, fields: Partial<Totals>, generation = 0) {
      await base.client.send(
        new UpdateCommand({
          TableName: tables.costRollups,
          Key: keyOf(row, generation),
          ...updateExpressions({ add: totalsAdditions({ ...noTotals, ...fields }) }),
        }),
      );
    },
    async removeRow(row: string, generation = 0) {
      const Key = keyOf(row, generation);
      await base.client.send(new DeleteCommand({ TableName: tables.costRollups, Key }));
    },
    dependencies: (job: JobOptions = {}) =>
      base.createDependencies(withCallback(base.client, job.afterCall), {
        signal: job.signal ?? new AbortController().signal,
        report: job.onReport ?? (() => {}),
        async wait(ms, reason) {
          waits.push({ ms, reason });
          base.nowMs += ms;
          await job.onWait?.(reason);
        },
      }),
    rebuild: () =>
      rebuildRollups(fixture.dependencies(), {
        organizationIds: [base.organizationId],
        coversAllOrganizations: false,
      }),
  });
  return fixture;
}

function withCallback(
  client: DynamoDBDocumentClient,
  afterCall: JobOptions['afterCall'],
): DynamoDBDocumentClient {
  const send = async (command: QueryCommand) => {
    const response = await client.send(command);
    afterCall?.(command.input);
    return response;
  };
  return Object.create(client, { send: { value: send } });
}
