/** Measures the write units of hard budgets and rate limits, as the embedded DynamoDB engine reports them. */
import type { RequestKey } from '#lambdas/access/directory.ts';
import { createAdmit, limitedOwnersOf } from '#lambdas/limits/admission.ts';
import { changeAmounts, createCounterItem } from '#lambdas/limits/counters/change.ts';
import { counterKey } from '#lambdas/limits/counters/keys.ts';
import { renewalIntervalMs } from '#lambdas/limits/counters/leases.ts';
import { type BudgetCountersTable, findCounterItem, settleRecords } from '#lambdas/limits/counters/table.ts';
import { ServiceError } from '#lambdas/platform/aws/errors.ts';
import { createJsonService, type JsonService } from '#lambdas/platform/aws/json-client.ts';
import { minuteMs, secondMs } from '#lambdas/platform/duration.ts';
import { createJsonTableCalls } from '#lambdas/platform/dynamodb/json-table.ts';
import { createJsonTableUpdates } from '#lambdas/platform/dynamodb/json-updates.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { awsAccessAt } from '#test/support/aws/scripted-service.ts';
import { startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTable } from '#test/support/dynamodb/tables.ts';
import { markdownTable } from '../harness/figures.ts';
import { meterCapacity } from '../reports/capacity-meter.ts';

/** For each request, except for the settlement. */
interface WriteUnits {
  admission: number;
  /** Every 25 seconds. */
  renewal: number;
  end: number;
  /** By the rollup function, for each batch. */
  settlement: number;
  /** Without those that the function refuses itself for a moment. */
  refusal: number;
}

const ref = (id: string) => ({ id, shards: 1, allows_unpriced: false });
const rateLimits = { requests_per_minute: 600, tokens_per_minute: 1_000_000, concurrent: 20 };

const measuredKeys = {
  'One hard budget': { key_budget: ref('key') },
  'Two hard budgets': { key_budget: ref('key'), organization_budget: ref('organization') },
  'Rate limits': { key_rate_limits: rateLimits },
  'Hard budget and rate limits': { key_budget: ref('key'), key_rate_limits: rateLimits },
} as const satisfies Record<string, Partial<RequestKey>>;

const usd = '0.25';
const costUsd = '0.0000975';
const limitUsd = '1000';
const tokens = 1500;
/** More than is left while another request is in progress. */
const tooMuch = { usd: limitUsd, tokens: rateLimits.tokens_per_minute };
const startMs = Date.UTC(2026, 10, 23, 12);
/** The item has leases of as many times, and as many slots of pending costs. */
const distinctTimes = 4;
const slotMs = 10 * minuteMs;
const bucketMs = 30 * secondMs;

export async function writeUnitsTable(): Promise<string> {
  const names = Object.keys(measuredKeys) as (keyof typeof measuredKeys)[];
  const units: WriteUnits[] = [];
  for (const name of names) units.push(await measure(measuredKeys[name]));
  const row = (label: string, kind: keyof WriteUnits) => [label, ...units.map((measured) => measured[kind])];
  return markdownTable(
    'Write units of hard budgets and rate limits',
    ['', ...names],
    [
      row('Before the provider is called', 'admission'),
      row('At the end of the request', 'end'),
      row(`Every ${renewalIntervalMs / secondMs} s in between`, 'renewal'),
      row('Settlement, for each batch of entries', 'settlement'),
      row('A refused request', 'refusal'),
    ],
  );
}

async function measure(fields: Partial<RequestKey>): Promise<WriteUnits> {
  const database = await startEmbeddedDynamoDB();
  try {
    const { name: tableName } = await createTable(database.client, 'BudgetCounters', {
      key: ['counter_key'],
    });
    const table: BudgetCountersTable = { client: database.documentClient, tableName };
    const apiKey = requestKey(fields);
    const counterKeys = await createCounters(table, apiKey);
    const clock = { nowMs: startMs };
    const now = () => new Date(clock.nowMs);
    const dynamodb = createJsonService({ service: 'dynamodb', access: awsAccessAt(database.endpoint), now });
    const requestMeter = meterWrites(dynamodb);
    const rollupMeter = meterCapacity(database.client);
    const admit = createAdmit({
      calls: { ...createJsonTableUpdates(requestMeter.service), get: createJsonTableCalls(dynamodb).get },
      tableName,
      now,
      onFailure(error) {
        throw error;
      },
    });
    const send = (demand = { usd, tokens }) =>
      admit({ apiKey, logShard: 0, receivedAtMs: clock.nowMs, ...demand });
    const start = async () => {
      const { error, lease } = await send();
      if (error !== null || lease === null) throw error ?? new Error('The request holds nothing');
      return lease;
    };
    const settle = async (sequenceNumber: number) => {
      const times = { createdAtMs: clock.nowMs, writtenAtMs: clock.nowMs };
      const costs = { costUsd, pendingUsd: costUsd, isReplayed: false };
      const records = [{ sequenceNumber: String(sequenceNumber), ...times, ...costs }];
      const source = shardId(sequenceNumber % distinctTimes);
      const counters = await Promise.all(counterKeys.map((key) => findCounterItem(table, key)));
      rollupMeter.take();
      for (const counter of counters) {
        if (counter !== null) await settleRecords(table, counter, { source, records, now: now() });
      }
      return rollupMeter.take().units;
    };

    for (let slot = 1; slot <= distinctTimes; slot += 1) {
      const [counted, pending] = [await start(), await start()];
      await Promise.all([counted, pending].map((lease) => lease.end({ costUsd, tokens })));
      await settle(slot);
      clock.nowMs += slotMs;
    }
    for (let time = 1; time <= distinctTimes; time += 1) {
      await start();
      clock.nowMs += bucketMs;
    }
    // In a steady state, the process knows whether the buckets are full, and the rollup function has nothing to remove.
    await start();
    await start();
    await settle(distinctTimes + 1);
    requestMeter.take();
    const lease = await start();
    const admission = requestMeter.take();
    clock.nowMs += renewalIntervalMs;
    await lease.renew();
    const renewal = requestMeter.take();
    await lease.end({ costUsd, tokens: 900 });
    const end = requestMeter.take();
    const settlement = await settle(distinctTimes + 2);
    await start();
    requestMeter.take();
    const { error } = await send(tooMuch);
    if (error === null) throw new Error('The request was not refused');
    return { admission, end, renewal, settlement, refusal: requestMeter.take() };
  } finally {
    await database.stop();
  }
}

/** Resolves to the keys of their items. */
async function createCounters(table: BudgetCountersTable, apiKey: RequestKey): Promise<string[]> {
  const keys: string[] = [];
  for (const { scope, ref: budget } of limitedOwnersOf(apiKey)) {
    if (budget === null) continue;
    const { id } = budget;
    const key = counterKey(scope);
    const counter = await createCounterItem(table, { key, id, itemCount: 1, limitUsd });
    await changeAmounts(
      table,
      { keys: [key], id, amounts: { day: null, month: limitUsd } },
      new Date(startMs),
    );
    keys.push(counter.key);
  }
  return keys;
}

/** Also counts writes whose condition fails, which cost as much as others. Each has an item of less than a kilobyte. */
function meterWrites({ call }: JsonService): { service: JsonService; take(): number } {
  let units = 0;
  return {
    service: {
      async call(operation, input, ...options) {
        const members = typeof input === 'string' ? JSON.parse(input) : input;
        try {
          const output = await call(operation, { ...members, ReturnConsumedCapacity: 'TOTAL' }, ...options);
          const { CapacityUnits } = output.ConsumedCapacity as { CapacityUnits: number };
          units += CapacityUnits;
          return output;
        } catch (error) {
          if (error instanceof ServiceError && error.name === 'ConditionalCheckFailedException') units += 1;
          throw error;
        }
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
