import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { createPricing } from '#lambdas/pricing/pricing.ts';
import { demoEntries } from '#local/demo-data/entries.ts';
import { ensureDemoKeys } from '#local/demo-data/keys.ts';
import { waitUntilCounted, writeEntries } from '#local/demo-data/write.ts';
import { createTestAuditTrail } from '#test/support/audit/test-audit-trail.ts';
import { createFailingClient } from '#test/support/dynamodb/failing-client.ts';
import { emptyPriceTable } from '#test/support/prices.ts';
import { type ReportFixture, startReportFixture } from '#test/support/reports/fixture.ts';

let fixture: ReportFixture;
beforeAll(async () => {
  fixture = await startReportFixture();
});
afterAll(() => fixture.stop());

/** Entries of a new organization, and the tables to write them to. */
async function setUp(requests: number, now = () => new Date()) {
  const { database, tables: names, newCaller } = fixture;
  const table = (tableName: string) => ({ client: database.documentClient, tableName, now });
  const { organizationId } = await newCaller();
  const directory = createDirectoryStore(table(names.directory));
  const audit = createTestAuditTrail(database, names);
  const ensureKeys = () => ensureDemoKeys(directory, audit, organizationId);
  const keys = await ensureKeys();
  const pricing = createPricing(emptyPriceTable);
  return {
    ensureKeys,
    keys,
    entries: await demoEntries({ keys, pricing, until: new Date(), requests }),
    tables: {
      logEntries: table(names.logEntries),
      costRollups: table(names.costRollups),
      entryRetentionDays: 90,
    },
  };
}

it('writes what is missing with keys that are created once, and waits until it is counted', async () => {
  const { rollUp, setTime } = fixture;
  let time = new Date();
  const { ensureKeys, keys, entries, tables } = await setUp(40, () => time);

  const first = await writeEntries(tables, entries.slice(0, 25), () => {});
  setTime(time);
  await rollUp(entries.slice(0, 25));
  time = new Date(time.getTime() + 1000);
  const second = await writeEntries(tables, entries, () => {});
  let isCounted = false;
  const counted = waitUntilCounted(tables, entries).then(() => {
    isCounted = true;
  });
  setTime(new Date(time.getTime() - 1));
  await rollUp(entries.slice(25, 39), 26);
  const early = isCounted;
  setTime(time);
  await rollUp(entries.slice(39), 40);
  await counted;

  expect([first, second, early]).toEqual([25, 15, false]);
  expect(await ensureKeys()).toEqual(keys);
});

it('writes an entry again after a timeout, also one that arrived', async () => {
  const { entries, tables } = await setUp(3);
  const timeouts = [new DOMException('', 'TimeoutError'), new DOMException('', 'AbortError')];
  const { client, stop } = createFailingClient({
    endpoint: fixture.database.endpoint,
    maxAttempts: 1,
    async attempt(send, operation) {
      const output = await send();
      const timeout = operation === 'PutItemCommand' ? timeouts.shift() : undefined;
      if (timeout !== undefined) throw timeout;
      return output;
    },
  });
  const logEntries = { ...tables.logEntries, client };

  const written = await writeEntries({ ...tables, logEntries }, entries, () => {});
  stop();

  expect([written, timeouts]).toEqual([3, []]);
});
