import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPricing } from '#lambdas/pricing/pricing.ts';
import { demoEntries } from '#local/demo-data/entries.ts';
import { ensureDemoKeys } from '#local/demo-data/gateway.ts';
import { writeEntries } from '#local/demo-data/write.ts';
import { createTestAuditTrail } from '#test/support/audit/test-audit-trail.ts';
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
  const audit = createTestAuditTrail(database, names);
  const directoryTable = table(names.directory);
  const ensureKeys = () => ensureDemoKeys({ directoryTable, audit, organizationId });
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

  const firstWrite = writeEntries(tables, entries.slice(0, 25));
  setTime(time);
  await rollUp(entries.slice(0, 25));
  const first = await firstWrite;
  time = new Date(time.getTime() + 1000);
  let isCounted = false;
  const secondWrite = writeEntries(tables, entries).finally(() => {
    isCounted = true;
  });
  setTime(new Date(time.getTime() - 1));
  await rollUp(entries.slice(25, 39), 26);
  const early = isCounted;
  setTime(time);
  await rollUp(entries.slice(39), 40);

  expect([first, await secondWrite, early]).toEqual([25, 15, false]);
  expect(await ensureKeys()).toEqual(keys);
  expect(await writeEntries(tables, entries)).toBe(0);
});
