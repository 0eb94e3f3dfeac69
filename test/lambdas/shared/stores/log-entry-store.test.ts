import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogEntryFilter, LogEntryRange } from '../../../../lambdas/shared/domain/log-entry.ts';
import { createLogId } from '../../../../lambdas/shared/domain/log-id.ts';
import { allTime } from '../../../../lambdas/shared/domain/time-window.ts';
import { toItem } from '../../../../lambdas/shared/stores/log-entry-item.ts';
import {
  createLogEntryReader,
  createLogEntryWriter,
  type LogEntriesTable,
  readLogEntries,
} from '../../../../lambdas/shared/stores/log-entry-store.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '../../../support/embedded-dynamodb.ts';
import { logEntry } from '../../../support/log-entries.ts';
import { createTables } from '../../../support/tables.ts';

const organization_id = 'org_AAAAAAAAAAAAAAAA';
const startMs = Date.UTC(2026, 0, 31, 9, 30);

describe('the store of log entries', () => {
  let database: EmbeddedDynamoDB;
  let table: LogEntriesTable;
  beforeAll(async () => {
    database = await startEmbeddedDynamoDB();
    const { logEntries } = await createTables(database);
    table = { client: database.documentClient, tableName: logEntries };
  });
  afterAll(() => database.stop());

  const put = (fields: Parameters<typeof logEntry>[0]) =>
    createLogEntryWriter(table, 90).put(logEntry(fields));
  const list = async (
    filter: LogEntryFilter,
    { organization, ...range }: { organization: string } & Partial<LogEntryRange>,
  ) => {
    const entries = createLogEntryReader(table).newestFirst({
      organizationId: organization,
      filter,
      window: allTime,
      pageSize: 2,
      ...range,
    });
    return (await Array.fromAsync(entries)).map(({ id }) => id);
  };

  it('gives an entry back as it was, with money to the last digit and null for what is not there', async () => {
    const entry = logEntry({ cost_usd: '1234567.123456789012', reasoning_tokens: null, prompt_id: 'p é 😀' });
    await put(entry);
    expect(await createLogEntryReader(table).find(organization_id, entry.id)).toEqual(entry);
    expect(await createLogEntryReader(table).find('org_other', entry.id)).toBeNull();
  });

  it('lets an entry expire after the retention, counted from the request', async () => {
    const id = createLogId(startMs);
    await put({ id });
    const { Item } = await table.client.send(
      new GetCommand({ TableName: table.tableName, Key: { organization_id, id } }),
    );
    expect(Item?.expires_at).toBe(startMs / 1000 + 90 * 86_400);
  });

  it('lists newest first, by organization, model and provider, over as many reads as it takes', async () => {
    const organization = 'org_list';
    const ids = Array.from({ length: 7 }, (_, index) => createLogId(startMs + index));
    for (const [index, id] of ids.entries()) {
      const provider = index % 2 === 0 ? 'openai' : 'openrouter';
      await put({ id, organization_id: organization, provider, model: index < 5 ? 'm' : 'n' });
    }
    await put({ id: createLogId(startMs + 3), organization_id: 'org_other', provider: 'openai', model: 'm' });
    const newest = (...indexes: number[]) => indexes.map((index) => ids[index]);
    expect(await list({}, { organization })).toEqual(newest(6, 5, 4, 3, 2, 1, 0));
    expect(await list({ model: 'm' }, { organization })).toEqual(newest(4, 3, 2, 1, 0));
    expect(await list({ provider: 'openrouter' }, { organization })).toEqual(newest(5, 3, 1));
    expect(await list({ model: 'm', provider: 'openai' }, { organization })).toEqual(newest(4, 2, 0));
    expect(await list({ model: 'none' }, { organization })).toEqual([]);
    const window = { startMs: startMs + 1, endMs: startMs + 4 };
    expect(await list({}, { organization, window })).toEqual(newest(3, 2, 1));
    expect(await list({}, { organization, window, before: ids[3] })).toEqual(newest(2, 1));
    expect(await list({}, { organization, window, before: ids[0] })).toEqual([]);
    expect(await list({}, { organization, window: { startMs, endMs: startMs } })).toEqual([]);
  });

  it('reads every entry of a window, start inside and end not', async () => {
    const organizationId = 'org_window';
    const ids = [0, 1, 2].map((offset) => createLogId(startMs + offset));
    for (const id of ids) await put({ id, organization_id: organizationId });
    const window = { startMs, endMs: startMs + 2 };
    const entries = await Array.fromAsync(readLogEntries(table, { organizationId, window }));
    expect(entries.map(({ id }) => id).sort()).toEqual(ids.slice(0, 2));
  });

  it('keeps an entry with metadata of usual length within one write unit', () => {
    const metadata = {
      prompt_id: 'checkout-assistant-v12',
      session_id: createLogId(startMs),
      user_id: createLogId(startMs),
    };
    const item = toItem(
      logEntry({ ...metadata, model: 'claude-sonnet-4-5', response_model: 'claude-sonnet-4-5-20250929' }),
      1_777_777_777,
    );
    const bytes = Object.entries(item).reduce(
      (sum, [name, value]) => sum + name.length + Buffer.byteLength(String(value)),
      0,
    );
    expect(bytes).toBeLessThanOrEqual(1024);
  });

  it('keeps entries without model or provider out of the indexes', () => {
    const item = toItem(logEntry({ model: null, provider: null }), 0);
    expect(Object.keys(item)).not.toContain('organization_model');
    expect(Object.keys(item)).not.toContain('organization_provider');
  });
});
