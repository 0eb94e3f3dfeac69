import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { createPricing } from '#lambdas/pricing/pricing.ts';
import { demoEntries } from '#local/demo-data/entries.ts';
import { ensureDemoKeys } from '#local/demo-data/keys.ts';
import { waitUntilCounted, writeEntries } from '#local/demo-data/write.ts';
import { createTestAuditTrail } from '#test/support/audit/test-audit-trail.ts';
import { emptyPriceTable } from '#test/support/prices.ts';
import { type ReportHarness, startReportHarness } from '#test/support/reports/harness.ts';

let harness: ReportHarness;
beforeAll(async () => {
  harness = await startReportHarness();
});
afterAll(() => harness.stop());

it('writes what is missing with keys that are created once, and waits until it is counted', async () => {
  const { database, tables: names, newCaller, rollUp, setTime } = harness;
  const client = database.documentClient;
  let time = new Date();
  const table = (tableName: string) => ({ client, tableName, now: () => time });
  const { organizationId } = await newCaller();
  const directory = createDirectoryStore(table(names.directory));
  const audit = createTestAuditTrail(database, names);
  const tables = {
    logEntries: table(names.logEntries),
    costRollups: table(names.costRollups),
    entryRetentionDays: 90,
  };

  const keys = await ensureDemoKeys(directory, audit, organizationId);
  const entries = await demoEntries({
    keys,
    pricing: createPricing(emptyPriceTable),
    until: new Date(),
    requests: 40,
  });
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
  expect(await ensureDemoKeys(directory, audit, organizationId)).toEqual(keys);
});

it('writes an entry again after a timeout, also one that arrived', async () => {
  const { database, tables: names, newCaller } = harness;
  const { organizationId } = await newCaller();
  const table = { client: database.documentClient, tableName: names.directory, now: () => new Date() };
  const keys = await ensureDemoKeys(
    createDirectoryStore(table),
    createTestAuditTrail(database, names),
    organizationId,
  );
  const entries = await demoEntries({
    keys,
    pricing: createPricing(emptyPriceTable),
    until: new Date(),
    requests: 3,
  });
  const logEntries = { ...table, client: createDocumentClient(database.client), tableName: names.logEntries };
  const timeouts = [new DOMException('', 'TimeoutError'), new DOMException('', 'AbortError')];
  logEntries.client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        const timeout = commandName === 'PutItemCommand' ? timeouts.shift() : undefined;
        if (timeout !== undefined) throw timeout;
        return result;
      },
    { step: 'initialize' },
  );

  const written = await writeEntries(
    { logEntries, costRollups: { ...table, tableName: names.costRollups }, entryRetentionDays: 90 },
    entries,
    () => {},
  );

  expect([written, timeouts]).toEqual([3, []]);
});
