import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Price } from '#lambdas/pricing/price.ts';
import type { LogEntry, StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { changePrice } from '#lambdas/request-log/table/change-price.ts';
import { storedFromItem } from '#lambdas/request-log/table/item.ts';
import {
  createSdkLogEntryWriter,
  type LogEntriesTable,
} from '#lambdas/request-log/table/log-entries-table.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import { logEntry } from '#test/support/log-entries.ts';

const writtenAtMs = Date.UTC(2026, 0, 31, 9, 31);

let database: EmbeddedDynamoDB;
let table: LogEntriesTable;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  const { logEntries } = await createTables(database);
  table = { client: database.documentClient, tableName: logEntries, now: () => new Date(writtenAtMs) };
});
afterAll(() => database.stop());

async function write(fields: Partial<LogEntry>): Promise<StoredLogEntry> {
  const entry = logEntry({ ...fields, billed_parts: [{ model: 'm', input_tokens: 1, output_tokens: 2 }] });
  await createSdkLogEntryWriter(table, 90).put(entry);
  return { entry, writtenAtMs };
}

async function readItem({ entry }: StoredLogEntry): Promise<Record<string, unknown>> {
  const Key = { organization_shard: `${entry.organization_id}#0`, id: entry.id };
  const { Item = {} } = await database.documentClient.send(
    new GetCommand({ TableName: table.tableName, Key, ConsistentRead: true }),
  );
  return Item;
}

const price: Price = {
  cost_usd: '1.000000000001',
  pricing: 'assumed',
  pricing_version: 'genai-prices 0.1.9+5d6e7f8',
  pricing_gaps: ['code_execution'],
};

describe('changePrice', () => {
  it.each<[string, LogEntry['pricing_gaps'], Price['pricing_gaps']]>([
    ['sets the gaps of an entry without any', null, ['code_execution']],
    ['removes the gaps of an entry', ['code_execution'], null],
    ['keeps the gaps of an entry', ['code_execution'], ['code_execution']],
  ])('%s together with cost, source and version', async (_case, before, after) => {
    const stored = await write({ pricing: 'unknown', cost_usd: '0', pricing_gaps: before });
    const change = { stored, price: { ...price, pricing_gaps: after }, writtenAtMs: writtenAtMs + 1 };

    expect(await changePrice(table, change)).toEqual({ isWritten: true });

    const item = await readItem(stored);
    expect(storedFromItem(item)).toEqual({
      entry: { ...stored.entry, ...change.price },
      writtenAtMs: writtenAtMs + 1,
    });
    expect('pricing_gaps' in item).toBe(after !== null);
  });

  it('succeeds again when the first response was lost', async () => {
    const stored = await write({});
    const change = { stored, price, writtenAtMs: writtenAtMs + 1 };
    await changePrice(table, change);

    expect(await changePrice(table, change)).toEqual({ isWritten: true });
  });

  it('returns the current entry, with its lists, when another run has changed it', async () => {
    const stored = await write({});
    await changePrice(table, { stored, price, writtenAtMs: writtenAtMs + 1 });

    const result = await changePrice(table, {
      stored,
      price: { ...price, cost_usd: '2', pricing_gaps: null },
      writtenAtMs: writtenAtMs + 2,
    });

    expect(result).toEqual({
      isWritten: false,
      current: { entry: { ...stored.entry, ...price }, writtenAtMs: writtenAtMs + 1 },
    });
  });

  it('returns null as the current entry when the entry was deleted', async () => {
    const stored = { entry: logEntry(), writtenAtMs };

    expect(await changePrice(table, { stored, price, writtenAtMs: writtenAtMs + 1 })).toEqual({
      isWritten: false,
      current: null,
    });
  });
});
