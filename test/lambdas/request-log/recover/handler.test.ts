import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { createRecoveryHandler } from '#lambdas/request-log/recover/handler.ts';
import { storedFromItem } from '#lambdas/request-log/table/item.ts';
import { createLogEntryWriter } from '#lambdas/request-log/table/writer.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { tableCallsAt } from '#test/support/dynamodb/table-calls-at.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import { unreachableEndpoint } from '#test/support/http/unreachable-endpoint.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';

const requestMs = Date.UTC(2026, 0, 31, 9, 30);
const recoveryMs = requestMs + 3 * 86_400_000;

let database: EmbeddedDynamoDB;
let tableName: string;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
beforeEach(async () => {
  tableName = (await createTables(database)).logEntries;
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => database.stop());

function recover(event: SQSEvent, endpoint = database.endpoint) {
  const table = { calls: tableCallsAt(endpoint), tableName, now: () => new Date(recoveryMs) };
  return createRecoveryHandler(createLogEntryWriter(table, 90))(event);
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
      TableName: tableName,
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
    const response = await recover(eventOf(bodyOf(entry)), await unreachableEndpoint());

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
