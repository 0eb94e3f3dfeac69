import type { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogId } from '#lambdas/request-log/id.ts';
import {
  createSdkLogEntryWriter,
  type LogEntriesTable,
} from '#lambdas/request-log/table/log-entries-table.ts';
import { entriesInOrder, type LogShard, shardsOf } from '#lambdas/request-log/table/scan.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { byTestForm } from '#test/support/test-form.ts';

const startMs = Date.UTC(2026, 0, 31, 9, 30);
const window = { startMs, endMs: startMs + 1000 };

describe('entriesInOrder', () => {
  let database: EmbeddedDynamoDB;
  let table: LogEntriesTable;
  let organizations = 0;
  beforeAll(async () => {
    database = await startEmbeddedDynamoDB();
    const { logEntries: tableName } = await createTables(database);
    table = { client: database.documentClient, tableName, now: () => new Date(startMs) };
  });
  afterAll(() => database.stop());

  const write = async (ids: string[]) => {
    const organizationId = `org_${++organizations}`;
    const writer = createSdkLogEntryWriter(table, 90);
    await Promise.all(ids.map((id) => writer.put(logEntry({ id, organization_id: organizationId }))));
    return organizationId;
  };
  const read = async (shards: LogShard[], after = '') => {
    const range = { shards, window, after };
    const batches = await Array.fromAsync(entriesInOrder(withSmallPages(table), range));
    return batches.map((batch) => batch.map(({ entry }) => entry.id));
  };

  it('yields every entry once and in order for any distribution over shards, and resumes after any entry', async () => {
    const place = fc.record({ offsetMs: fc.integer({ min: 0, max: 40 }), shard: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(place, { maxLength: 30 }), fc.nat(30), async (places, stop) => {
        const ids = places.map(({ offsetMs, shard }) => createLogId(startMs + offsetMs, shard));
        const organizationId = await write(ids);

        const batches = await read(shardsOf(organizationId, 4));
        const after = ids.toSorted()[stop];
        const rest = after && (await read(shardsOf(organizationId, 4), after));

        expect(batches.flat()).toEqual(ids.toSorted());
        expect(batches).not.toContain([]);
        if (rest) expect(rest.flat()).toEqual(ids.toSorted().slice(stop + 1));
      }),
      { numRuns: byTestForm({ short: 15, long: 400 }) },
    );
  });

  it('omits entries outside the window and entries of other shards', async () => {
    const inside = createLogId(startMs, 1);
    const organizationId = await write([
      inside,
      createLogId(startMs - 1, 1),
      createLogId(startMs + 1000, 1),
      createLogId(startMs, 0),
    ]);

    expect(await read(shardsOf(organizationId, 3).slice(1))).toEqual([[inside]]);
  });
});

/** Limits pages to two items, since DynamoDB's pages would take 1 MB of items to fill. */
function withSmallPages(table: LogEntriesTable): LogEntriesTable {
  const send = (command: QueryCommand) => {
    command.input.Limit = 2;
    return table.client.send(command);
  };
  return { ...table, client: Object.create(table.client, { send: { value: send } }) };
}
