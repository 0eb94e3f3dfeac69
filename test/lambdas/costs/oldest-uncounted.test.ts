/** Compares entries in the table with the rollups that have counted some of them. */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findOldestUncounted } from '#lambdas/costs/oldest-uncounted.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { type ReportFixture, startReportFixture, streamRecord } from '#test/support/reports/fixture.ts';

const nowMs = Date.parse('2026-03-10T09:50:00Z');
const minuteMs = 60_000;
/** All are in the same hour. */
const [firstMs, secondMs] = [nowMs - 230 * minuteMs, nowMs - 220 * minuteMs];

describe('The oldest entry that is not counted', () => {
  let reports: ReportFixture;
  beforeAll(async () => {
    reports = await startReportFixture();
    reports.setTime(new Date(nowMs));
  });
  afterAll(() => reports.stop());

  /** Two entries, of which the first is counted, with the times of their last writes, and fields that both have. */
  async function oldest(
    firstWrittenMs: number,
    secondWrittenMs: number,
    counted = 1,
    fields: Partial<LogEntry> = {},
  ): Promise<number | null> {
    const { organizationId } = await reports.newCaller();
    const { documentClient } = reports.database;
    const entries = [firstMs, secondMs].map((ms) =>
      logEntry({ id: createLogId(ms), organization_id: organizationId, ...fields }),
    );
    const write = (entry: LogEntry, writtenAtMs: number) => {
      const Item = toItem(entry, { writtenAtMs, expiresAtSeconds: 2 ** 32 });
      return documentClient.send(new PutCommand({ TableName: reports.tables.logEntries, Item }));
    };
    for (const [index, entry] of entries.entries())
      await write(entry, [firstWrittenMs, secondWrittenMs][index] ?? nowMs);
    const Records = entries
      .slice(0, counted)
      .map((entry, index) => streamRecord(entry, index + 1, Date.parse(entry.created_at) + 1000));
    await reports.rollupHandler({ shardId: 'shardId-0', Records });
    return findOldestUncounted(
      {
        logEntries: {
          client: documentClient,
          tableName: reports.tables.logEntries,
          now: () => new Date(nowMs),
        },
        costRollups: { client: documentClient, tableName: reports.tables.costRollups },
      },
      { shard: { organizationId, shard: 0 }, generation: 0, countedMs: firstMs },
    );
  }

  it('is known by its write', async () => {
    expect(await oldest(firstMs + 1000, secondMs + 9000)).toBe(secondMs + 9000);
    expect(await oldest(firstMs + 1000, secondMs + 9000, 2)).toBe(Number.POSITIVE_INFINITY);
  });

  it('is known among entries that stand for several refused requests', async () => {
    const refused: Partial<LogEntry> = { outcome: 'rejected', refused_requests: 50 };
    expect(await oldest(firstMs + 1000, secondMs + 9000, 0, refused)).toBe(firstMs + 1000);
    expect(await oldest(firstMs + 1000, secondMs + 9000, 1, refused)).toBe(secondMs + 9000);
    expect(await oldest(firstMs + 1000, secondMs + 9000, 2, refused)).toBe(Number.POSITIVE_INFINITY);
  });

  it('is known among attempts, which count as no requests', async () => {
    const superseded: Partial<LogEntry> = { route: 'fast', superseded_by: createLogId(firstMs) };
    expect(await oldest(firstMs + 1000, secondMs + 9000, 0, superseded)).toBe(firstMs + 1000);
    expect(await oldest(firstMs + 1000, secondMs + 9000, 1, superseded)).toBe(secondMs + 9000);
    expect(await oldest(firstMs + 1000, secondMs + 9000, 2, superseded)).toBe(Number.POSITIVE_INFINITY);
  });

  it('is not later than one that was written again before it was counted, whose first write is not known', async () => {
    expect(await oldest(firstMs + 1000, nowMs)).toBe(firstMs + 1000);
    expect(await oldest(firstMs + 1000, nowMs, 0)).toBe(firstMs + 1000);
    expect(await oldest(nowMs, nowMs, 0)).toBe(firstMs);
  });

  it('is not missed because another one, which was counted before, was written again', async () => {
    expect(await oldest(nowMs, secondMs + 9000)).toBe(firstMs);
    expect(await oldest(nowMs, nowMs, 2)).toBe(Number.POSITIVE_INFINITY);
  });
});
