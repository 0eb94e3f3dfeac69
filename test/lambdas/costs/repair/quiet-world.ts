/** An organization in which nothing happens but what a test does, step by step. */
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  type QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { RepairDependencies } from '#lambdas/costs/repair/complete-entries.ts';
import { rebuildRollups } from '#lambdas/costs/repair/rebuild.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { isConsumed } from '../rollups/stream-shard.ts';
import { newWorld, put, stamp, type World, type WorldTables } from './rebuild-world.ts';

interface QuietJob {
  /** What happens while the job waits. */
  onWait?: (reason: string) => Promise<void>;
  onReport?: (text: string) => void;
  signal?: AbortSignal;
  /** What happens after a call to DynamoDB. */
  afterCall?: (input: object) => void;
}

export interface QuietWorld extends World {
  /** What is written of a request that came in then, and ended at once. */
  write(createdAt: string, fields?: Partial<LogEntry> & { shard?: number }): Promise<void>;
  /** The rollup function counts what the stream has. */
  count(): Promise<void>;
  /** Adds to a row, which need not be there: `model#day#0 2026-03-14#openai/a`. */
  damage(row: string, fields: Record<string, number>, generation?: number): Promise<void>;
  remove(row: string, generation?: number): Promise<void>;
  /** A job whose waiting is over at once, as long as it would have taken. */
  parts(job?: QuietJob): RepairDependencies;
  rebuild(): ReturnType<typeof rebuildRollups>;
  waits: { ms: number; reason: string }[];
}

export function newQuietWorld(tables: WorldTables, now: string): QuietWorld {
  const world = newWorld(tables, Date.parse(now));
  const keyOf = (row: string, generation: number) => {
    const [partition, sk = ''] = [row.slice(0, row.indexOf(' ')), row.slice(row.indexOf(' ') + 1)];
    return { pk: `${world.organizationId}#${generation}#${partition}`, sk };
  };
  const waits: QuietWorld['waits'] = [];
  const quiet: QuietWorld = Object.assign(world, {
    waits,
    async write(createdAt: string, { shard = 0, ...fields }: Partial<LogEntry> & { shard?: number } = {}) {
      const createdMs = Date.parse(createdAt);
      await put(world, { ...stamp(world, { createdMs, shard, fields }), writtenAtMs: createdMs });
    },
    async count() {
      for (const stream of world.streams) {
        if (isConsumed(stream)) continue;
        const Records = stream.records.slice(stream.position).map(({ record }) => record);
        await world.handlerWith(world.client)({ shardId: stream.id, Records });
        stream.position = stream.records.length;
      }
    },
    async damage(row: string, fields: Record<string, number>, generation = 0) {
      const sums = ['requests', 'cost_usd', 'input_tokens', 'output_tokens', 'unpriced_requests'];
      await world.client.send(
        new UpdateCommand({
          TableName: tables.costRollups,
          Key: keyOf(row, generation),
          UpdateExpression: `ADD ${sums.map((field) => `${field} :${field}`).join(', ')}`,
          ExpressionAttributeValues: Object.fromEntries(
            sums.map((field) => [`:${field}`, fields[field] ?? 0]),
          ),
        }),
      );
    },
    async remove(row: string, generation = 0) {
      const Key = keyOf(row, generation);
      await world.client.send(new DeleteCommand({ TableName: tables.costRollups, Key }));
    },
    parts: (job: QuietJob = {}) =>
      world.partsWith(watched(world.client, job.afterCall), {
        signal: job.signal ?? new AbortController().signal,
        report: job.onReport ?? (() => {}),
        async wait(ms, reason) {
          waits.push({ ms, reason });
          world.nowMs += ms;
          await job.onWait?.(reason);
        },
      }),
    rebuild: () => rebuildRollups(quiet.parts(), { organizationIds: [world.organizationId], isOfAll: false }),
  });
  return quiet;
}

function watched(client: DynamoDBDocumentClient, afterCall: QuietJob['afterCall']): DynamoDBDocumentClient {
  const send = async (command: QueryCommand) => {
    const answer = await client.send(command);
    afterCall?.(command.input);
    return answer;
  };
  return Object.create(client, { send: { value: send } });
}
