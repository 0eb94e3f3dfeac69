import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { correctEntry } from '#lambdas/costs/reprice/correct-entry.ts';
import { createPriceFinder } from '#lambdas/costs/reprice/find-price.ts';
import { createLostEntriesHandler } from '#lambdas/maintenance/lost-entries.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { priceTable } from '#lambdas/pricing/table/price-table.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { storedFromItem } from '#lambdas/request-log/table/item.ts';
import { createLogEntryWriter } from '#lambdas/request-log/table/writer.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { tableCallsAt } from '#test/support/dynamodb/table-calls-at.ts';
import { createTables, type TestTables } from '#test/support/dynamodb/tables.ts';
import { unreachableEndpoint } from '#test/support/http/unreachable-endpoint.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';

const requestMs = Date.UTC(2026, 0, 31, 9, 30);
const recoveryMs = requestMs + 3 * 86_400_000;

let database: EmbeddedDynamoDB;
let tables: TestTables;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
beforeEach(async () => {
  tables = await createTables(database);
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => database.stop());

/** The built-in prices apply unless `readPrice` returns others. */
function recover(
  event: SQSEvent,
  { endpoint = database.endpoint, readPrice = async (): Promise<Item | null> => null } = {},
) {
  const tableName = tables.logEntries;
  const now = () => new Date(recoveryMs);
  const { documentClient: client } = database;
  const customPrices = { calls: { get: readPrice }, tableName: tables.prices, now };
  const correction = {
    findPrice: createPriceFinder({ customPrices, settings: {} }),
    logEntries: { client, tableName, now },
    costRollups: { client, tableName: tables.costRollups },
    now,
  };
  return createLostEntriesHandler({
    writer: createLogEntryWriter({ calls: tableCallsAt(endpoint), tableName, now }, 90),
    correct: (entry) => correctEntry(correction, entry),
  })(event);
}

function writer() {
  const now = () => new Date(requestMs);
  return createLogEntryWriter(
    { calls: tableCallsAt(database.endpoint), tableName: tables.logEntries, now },
    90,
  );
}

function eventOf(...bodies: string[]): SQSEvent {
  return { Records: bodies.map((body, index) => record(`message-${index}`, body)) };
}

function record(messageId: string, body: string): SQSRecord {
  return {
    messageId,
    receiptHandle: `receipt of ${messageId}`,
    body,
    attributes: {
      ApproximateReceiveCount: '2',
      SentTimestamp: String(requestMs),
      SenderId: 'AIDAIENQZJOLO23YVJ4VO',
      ApproximateFirstReceiveTimestamp: String(requestMs + 1),
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:LostEntries',
    awsRegion: 'us-east-1',
  };
}

const bodyOf = (entry: LogEntry) => JSON.stringify({ entry: serializeLogEntry(entry) });

async function itemsOf(organizationId = 'org_AAAAAAAAAAAAAAAA') {
  const { Items = [] } = await database.documentClient.send(
    new QueryCommand({
      TableName: tables.logEntries,
      KeyConditionExpression: 'organization_shard = :shard',
      ExpressionAttributeValues: { ':shard': `${organizationId}#0` },
    }),
  );
  return Items;
}

describe('Queued entries', () => {
  it('writes an entry unchanged, with the current time as its write time', async () => {
    const entry = logEntry({ id: createLogId(requestMs), outcome: 'client_closed', user_id: 'Ada 😀' });
    const response = await recover(eventOf(bodyOf(entry)));
    const items = await itemsOf();

    expect(response).toEqual({ batchItemFailures: [] });
    expect(items.map(storedFromItem)).toEqual([{ entry, writtenAtMs: recoveryMs }]);
    expect(items[0]?.expires_at).toBe(requestMs / 1000 + 90 * 86_400);
  });

  it('writes an entry once when its message is delivered repeatedly', async () => {
    const [one, two] = [logEntry(), logEntry()];
    await recover(eventOf(bodyOf(one)));
    const before = await itemsOf();
    const response = await recover(eventOf(bodyOf(one), bodyOf(two), bodyOf(two)));
    const after = await itemsOf();

    expect(response).toEqual({ batchItemFailures: [] });
    expect(after).toHaveLength(2);
    expect(after.find(({ id }) => id === one.id)).toEqual(before[0]);
  });

  it('reports a message as failed and logs it when the table is unavailable', async () => {
    const lines = recordLogLines();
    // Sets the delay between attempts to zero.
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const entry = logEntry();
    const response = await recover(eventOf(bodyOf(entry)), {
      endpoint: await unreachableEndpoint(),
    });

    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: 'message-0' }] });
    expect(lines).toEqual([
      {
        level: 'ERROR',
        event: 'lost_entry_not_written',
        message_id: 'message-0',
        receive_count: 2,
        error: 'ECONNREFUSED',
        code: null,
        at: expect.any(String),
        call: 'dynamodb.PutItem',
        log_id: entry.id,
      },
    ]);
  });
});

describe('Messages without a valid entry', () => {
  it.each([
    ['invalid JSON', 'a secret', 'A log entry must be an object'],
    ['a missing entry', '{"secret":1}', 'A log entry must be an object'],
    [
      'an incomplete entry',
      '{"entry":{"user_id":"a secret"}}',
      'The field id of the log entry is missing or invalid',
    ],
  ])(
    'reports a message with %s as failed and logs the reason without quoting it',
    async (_, body, reason) => {
      const lines = recordLogLines();
      const entry = logEntry();
      const response = await recover(eventOf(body, bodyOf(entry)));

      expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: 'message-0' }] });
      expect((await itemsOf()).map(({ id }) => id)).toEqual([entry.id]);
      expect(lines).toEqual([
        {
          level: 'ERROR',
          event: 'unreadable_lost_entry',
          message_id: 'message-0',
          receive_count: 2,
          error: 'Error',
          code: null,
          at: expect.any(String),
          reason,
        },
      ]);
    },
  );
});

describe('Entries whose price could not be read', () => {
  const unpriced = (fields: Partial<LogEntry> = {}) =>
    logEntry({
      id: createLogId(requestMs),
      response_model: null,
      cached_input_tokens: 0,
      reasoning_tokens: 0,
      cost_usd: '0',
      pricing: 'unknown',
      pricing_version: null,
      ...fields,
    });
  const read = async () => (await itemsOf()).map(storedFromItem);
  const table = { pricing: 'table', pricing_version: priceTable.version };

  it.each([true, false])('are priced once it can be read (in the table before: %s)', async (isWritten) => {
    const entry = unpriced();
    const unreadable = { readPrice: () => Promise.reject(new Error('throttled')) };
    const lines = recordLogLines();
    if (isWritten) await writer().put(entry);
    const failed = await recover(eventOf(bodyOf(entry)), unreadable);

    expect(failed).toEqual({ batchItemFailures: [{ itemIdentifier: 'message-0' }] });
    expect(lines).toMatchObject([{ event: 'lost_entry_not_priced', log_id: entry.id }]);
    expect(await read()).toMatchObject([{ entry }]);
    expect(await recover(eventOf(bodyOf(entry)))).toEqual({ batchItemFailures: [] });
    // 1,200 × $2.5 + 300 × $10 per million.
    expect(await read()).toEqual([
      { entry: { ...entry, cost_usd: '0.006', ...table }, writtenAtMs: expect.any(Number) },
    ]);
    const before = await itemsOf();
    await recover(eventOf(bodyOf(entry)));
    expect(await itemsOf()).toEqual(before);
  });

  it('have the price of the time at which the request was received', async () => {
    const priceFrom = (from: string, input: number) => ({ from, prices: { input, output: 0 } });
    const prices = [
      priceFrom('2026-01-01T00:00:00.000Z', 10),
      priceFrom(new Date(requestMs + 1).toISOString(), 1000),
    ];
    await recover(eventOf(bodyOf(unpriced())), { readPrice: async () => ({ prices }) });

    expect(await read()).toMatchObject([{ entry: { cost_usd: '0.012', pricing: 'configuration' } }]);
  });

  it.each([
    ['of certain usage', 'provider', { cost_usd: '0.006', ...table }],
    ['of estimated usage, which was reserved', 'estimated', { cost_usd: '0.5', pricing: 'assumed' }],
  ] as const)('no longer cost what they have reserved, except those %s', async (_, usage_source, priced) => {
    const reserved = { cost_usd: '0.5', reserved_usd: '0.5', pricing: 'assumed', usage_source } as const;
    await recover(eventOf(bodyOf(unpriced(reserved))));

    expect(await read()).toMatchObject([{ entry: { ...priced, reserved_usd: '0.5' } }]);
  });

  it('wait while the rollups of their organization are rebuilt', async () => {
    const { documentClient } = database;
    const Key = { pk: 'org_AAAAAAAAAAAAAAAA', sk: 'state' };
    const ExpressionAttributeNames = { '#rebuild': 'rebuild' };
    const setRebuild = (UpdateExpression: string, values?: object) =>
      documentClient.send(
        new UpdateCommand({
          TableName: tables.costRollups,
          Key,
          UpdateExpression,
          ExpressionAttributeNames,
          ...values,
        }),
      );
    await setRebuild('SET #rebuild = :rebuild', { ExpressionAttributeValues: { ':rebuild': {} } });
    const entry = unpriced();
    recordLogLines();

    expect((await recover(eventOf(bodyOf(entry)))).batchItemFailures).toHaveLength(1);
    expect(await read()).toMatchObject([{ entry: { cost_usd: '0', pricing: 'unknown' } }]);
    await setRebuild('REMOVE #rebuild');
    expect((await recover(eventOf(bodyOf(entry)))).batchItemFailures).toEqual([]);
    expect(await read()).toMatchObject([{ entry: { cost_usd: '0.006' } }]);
  });
});
