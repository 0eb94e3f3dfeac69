/** Measures the write units of hard budgets, as the embedded DynamoDB engine reports them. */
import { createCounterItem } from '#lambdas/limits/counters/change.ts';
import { counterKey } from '#lambdas/limits/counters/keys.ts';
import { type BudgetCountersTable, settleRecords } from '#lambdas/limits/counters/table.ts';
import { createReserve, hardBudgetsOf } from '#lambdas/limits/reserve.ts';
import { createJsonService, type JsonService } from '#lambdas/platform/aws/json-client.ts';
import { createJsonTableUpdates } from '#lambdas/platform/dynamodb/json-updates.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { awsAccessAt } from '#test/support/aws/scripted-service.ts';
import { startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTable } from '#test/support/dynamodb/tables.ts';
import { meterCapacity } from '../reports/capacity-meter.ts';

export interface BudgetWriteUnits {
  /** Before the provider is called. */
  reservation: number;
  /** By the rollup function, for each batch. */
  settlement: number;
}

const usd = '0.25';
const receivedAtMs = Date.UTC(2026, 10, 23, 12);
const now = () => new Date(receivedAtMs);
const ref = (id: string) => ({ id, shards: 1, allows_unpriced: false });

/** The last of several requests, since the size of a counter grows with the first ones. */
export async function measureWriteUnits(hardBudgets: 1 | 2): Promise<BudgetWriteUnits> {
  const database = await startEmbeddedDynamoDB();
  try {
    const { name: tableName } = await createTable(database.client, 'BudgetCounters', {
      key: ['counter_key'],
    });
    const table: BudgetCountersTable = { client: database.documentClient, tableName };
    const apiKey = requestKey({
      key_budget: ref('key'),
      ...(hardBudgets === 2 && { organization_budget: ref('organization') }),
    });
    const items = hardBudgetsOf(apiKey).map(({ scope, ref: { id, shards } }) => ({
      key: counterKey(scope),
      id,
      itemCount: shards,
      limitUsd: '1000',
    }));
    const counters = await Promise.all(items.map((item) => createCounterItem(table, item)));
    const jsonMeter = meterJsonCalls(
      createJsonService({ service: 'dynamodb', access: awsAccessAt(database.endpoint), now }),
    );
    const sdkMeter = meterCapacity(database.client);
    const calls = createJsonTableUpdates(jsonMeter.service);
    const onFailure = (error: unknown) => {
      throw error;
    };
    const reserve = createReserve({ calls, tableName, now, onFailure });
    const units = { reservation: 0, settlement: 0 };
    for (let sequenceNumber = 1; sequenceNumber <= 10; sequenceNumber += 1) {
      await reserve({ apiKey, logShard: 0, receivedAtMs, usd });
      const record = {
        sequenceNumber: String(sequenceNumber),
        createdAtMs: receivedAtMs,
        writtenAtMs: receivedAtMs,
        costUsd: '0.01',
        reservedUsd: usd,
        isReplayed: false,
      };
      const batch = { source: shardId(sequenceNumber % 4), records: [record], now: now() };
      units.reservation = jsonMeter.take();
      sdkMeter.take();
      await Promise.all(counters.map((counter) => settleRecords(table, counter, batch)));
      units.settlement = sdkMeter.take().units;
    }
    return units;
  } finally {
    await database.stop();
  }
}

function meterJsonCalls({ call }: JsonService): { service: JsonService; take(): number } {
  let units = 0;
  return {
    service: {
      async call(operation, input, ...options) {
        const members = typeof input === 'string' ? JSON.parse(input) : input;
        const output = await call(operation, { ...members, ReturnConsumedCapacity: 'TOTAL' }, ...options);
        const { CapacityUnits } = output.ConsumedCapacity as { CapacityUnits: number };
        units += CapacityUnits;
        return output;
      },
    },
    take() {
      const taken = units;
      units = 0;
      return taken;
    },
  };
}

function shardId(number: number): string {
  return `shardId-${String(1795431600000).padStart(20, '0')}-${number.toString(16).padStart(8, '0')}`;
}
