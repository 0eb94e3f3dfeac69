/** An environment that changes only when the test calls it: no concurrent events. */
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
import { isConsumed } from '../rollups/stream-shard.ts';
import {
  createEntry,
  createEnvironment,
  type Environment,
  type EnvironmentTables,
  putEntry,
} from './rebuild-environment.ts';

interface JobOptions {
  onWait?: (reason: string) => Promise<void>;
  onReport?: (text: string) => void;
  signal?: AbortSignal;
  afterCall?: (input: object) => void;
}

export interface ControlledEnvironment extends Environment {
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

export function createControlledEnvironment(tables: EnvironmentTables, now: string): ControlledEnvironment {
  const environment = createEnvironment(tables, Date.parse(now));
  const keyOf = (row: string, generation: number) => {
    const [partition, sk = ''] = [row.slice(0, row.indexOf(' ')), row.slice(row.indexOf(' ') + 1)];
    return { pk: `${environment.organizationId}#${generation}#${partition}`, sk };
  };
  const waits: ControlledEnvironment['waits'] = [];
  const controlled: ControlledEnvironment = Object.assign(environment, {
    waits,
    async writeEntry(
      createdAt: string,
      { shard = 0, ...fields }: Partial<LogEntry> & { shard?: number } = {},
    ) {
      const createdMs = Date.parse(createdAt);
      await putEntry(environment, {
        ...createEntry(environment, { createdMs, shard, fields }),
        writtenAtMs: createdMs,
      });
    },
    async processStream() {
      for (const shard of environment.shards) {
        if (isConsumed(shard)) continue;
        const Records = shard.records.slice(shard.checkpoint).map(({ record }) => record);
        await environment.handlerWith(environment.client)({ shardId: shard.id, Records });
        shard.checkpoint = shard.records.length;
      }
    },
    async addToRow(row: string, fields: Partial<Totals>, generation = 0) {
      await environment.client.send(
        new UpdateCommand({
          TableName: tables.costRollups,
          Key: keyOf(row, generation),
          ...updateExpressions({ add: totalsAdditions({ ...noTotals, ...fields }) }),
        }),
      );
    },
    async removeRow(row: string, generation = 0) {
      const Key = keyOf(row, generation);
      await environment.client.send(new DeleteCommand({ TableName: tables.costRollups, Key }));
    },
    dependencies: (job: JobOptions = {}) =>
      environment.createDependencies(withCallback(environment.client, job.afterCall), {
        signal: job.signal ?? new AbortController().signal,
        report: job.onReport ?? (() => {}),
        async wait(ms, reason) {
          waits.push({ ms, reason });
          environment.nowMs += ms;
          await job.onWait?.(reason);
        },
      }),
    rebuild: () =>
      rebuildRollups(controlled.dependencies(), {
        organizationIds: [environment.organizationId],
        coversAllOrganizations: false,
      }),
  });
  return controlled;
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
