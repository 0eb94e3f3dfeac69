/**
 * Writes the rollup rows of an organization with 100 million entries in 90 days, without the entries: reports read only
 * the rows.
 *
 * Each row has the sums and histograms of random entries, multiplied, and as many watermarks as a row collects. Of the
 * periods before the present day, hours and minutes are written only where a query of `dashboard.ts` reads them.
 */

import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { itemKey, totalsAdditions } from '#lambdas/costs/rollups/item.ts';
import {
  type Dimension,
  dimensions,
  periodsOf,
  rollupOf,
  totalsDimension,
} from '#lambdas/costs/rollups/rollup.ts';
import { countNames, sumTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { watermarkAttribute, watermarkValue } from '#lambdas/platform/dynamodb/watermark.ts';
import { fromUnits, toUnits } from '#lambdas/platform/money.ts';
import { endOfPeriod, type Period, periodText, startOfPeriod } from '#lambdas/platform/period.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { unnamedOperation } from '#lambdas/request-log/operation.ts';
import type { ReportFixture } from '#test/support/reports/fixture.ts';
import { seededRandom } from '#test/support/seeded-random.ts';
import { days, models, randomEntry, toBatches } from './dataset.ts';

export const busyCount = 100_000_000;

const lengthDays: Record<Period, number> = { month: 30, day: 1, hour: 1 / 24, minute: 1 / 1440 };
/** Stream shards last about four hours, and rows keep the watermarks of a day. */
const watermarkCounts: Record<Period, number> = { month: 7, day: 7, hour: 2, minute: 1 };
const reportedDays = 31;
/** The users active in an hour, out of 500 in a day. */
const usersPerHour = 60;
const reportedMonths = 12;

/** The values of each dimension, the models used by each, and the values' share of the requests. */
const values: Record<Dimension, { names: (string | null)[]; modelCount: number; share: number }> = {
  totals: { names: [null], modelCount: 12, share: 1 },
  api_key: { names: namesOf(4, 'key_'), modelCount: 12, share: 1 },
  prompt_id: { names: namesOf(20, 'prompt-'), modelCount: 12, share: 1 },
  user_id: { names: namesOf(500, 'user-'), modelCount: 3, share: 1 },
  // Grouping by sessions exceeds the limit, so only a filter by one is measured.
  session_id: { names: namesOf(1, 'session-'), modelCount: 1, share: 0.000_01 },
  route: { names: namesOf(5, 'route-'), modelCount: 3, share: 0.5 },
  error_code: { names: namesOf(10, 'provider:50'), modelCount: 12, share: 0.05 },
};

function namesOf(count: number, prefix: string): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

export async function writeBusyRows(
  fixture: ReportFixture,
  organizationId: string,
  now: Date,
): Promise<void> {
  const { database, tables } = fixture;
  let written = 0;
  const batches = toBatches(busyRows(organizationId, now), 25);
  await forEachConcurrently(batches, 4, async (items) => {
    const requests = items.map((Item) => ({ PutRequest: { Item } }));
    const command = new BatchWriteCommand({ RequestItems: { [tables.costRollups]: requests } });
    await database.documentClient.send(command);
    written += items.length;
    if (written % 50_000 === 0) process.stderr.write(`${written} rows\n`);
  });
}

function* busyRows(organizationId: string, now: Date): Generator<Record<string, unknown>> {
  for (const dimension of dimensions) {
    const { names, modelCount, share } = values[dimension];
    for (const period of periodsOf(dimension)) {
      const requests = (busyCount / days) * lengthDays[period] * (share / names.length / modelCount);
      const attributes = {
        ...totalsAdditions(scaleTotals(sampleTotals(dimension), requests / sampleSize)),
        ...watermarks(watermarkCounts[period], now),
      };
      const activeNames = dimension === 'user_id' && period === 'hour' ? names.slice(0, usersPerHour) : names;
      for (const startMs of startsOf(dimension, period, now)) {
        for (const [index, value] of activeNames.entries()) {
          for (let offset = 0; offset < modelCount; offset += 1) {
            const { provider, model } = models[(index + offset) % models.length] ?? {
              provider: '',
              model: '',
            };
            const periodStart = periodText(period, startMs);
            const key = { organizationId, dimension, period, writeShard: 0, periodStart, value };
            yield {
              ...itemKey(0, { ...key, provider, operation: unnamedOperation, model, serviceTier: 'default' }),
              ...attributes,
            };
          }
        }
      }
    }
  }
}

function* startsOf(dimension: Dimension, period: Period, now: Date): Generator<number> {
  const nowMs = now.getTime();
  const firstMs = startOfPeriod(period, nowMs - reportedMonths * 30 * dayMs);
  for (let ms = firstMs; ms <= nowMs; ms = endOfPeriod(period, ms)) {
    if (isReported(dimension, period, new Date(ms), (nowMs - ms) / dayMs)) yield ms;
  }
}

/**
 * Local midnights of Europe/Berlin are at 22:00 and 23:00, that of Asia/Kolkata is at 18:30. Models and keys are reported
 * by day for 90 days and by month for 12 months, everything else for 30 days.
 */
function isReported(dimension: Dimension, period: Period, start: Date, ageDays: number): boolean {
  const isLong = dimension === totalsDimension || dimension === 'api_key';
  const hasMidnight = ageDays < (isLong ? days : reportedDays) || (isLong && isLastOfMonth(start));
  switch (period) {
    case 'month':
      return true;
    case 'day':
      return ageDays < days && (dimension !== 'user_id' || ageDays < reportedDays);
    case 'hour':
      return (
        ageDays < (dimension === totalsDimension ? reportedDays : 1) ||
        (hasMidnight && start.getUTCHours() >= 18)
      );
    case 'minute':
      return ageDays < 1 || (hasMidnight && start.getUTCHours() === 18);
    default:
      return period satisfies never;
  }
}

function isLastOfMonth(time: Date): boolean {
  return new Date(time.getTime() + dayMs).getUTCDate() === 1;
}

const sampleSize = 20_000;

function sampleTotals(dimension: Dimension): Totals {
  const random = seededRandom(1);
  const totals: Totals[] = [];
  while (totals.length < sampleSize) {
    const entry = {
      ...randomEntry(createLogId(0), 'org', random),
      prompt_id: 'p',
      user_id: 'u',
      session_id: 's',
    };
    const rollup = rollupOf(entry, dimension);
    if (rollup !== null) totals.push(rollup.totals);
  }
  return sumTotals(totals);
}

function scaleTotals(totals: Totals, factor: number): Totals {
  const scale = (count: number) => Math.round(count * factor);
  const scaleUsd = (usd: string) => fromUnits((toUnits(usd) * BigInt(Math.round(factor * 1e6))) / 1_000_000n);
  return {
    ...totals,
    ...Object.fromEntries(countNames.map((name) => [name, scale(totals[name])])),
    cost_usd: scaleUsd(totals.cost_usd),
    assumed_cost_usd: scaleUsd(totals.assumed_cost_usd),
    histograms: Object.fromEntries(
      Object.entries(totals.histograms)
        .map(([bucket, count]) => [bucket, scale(count)] as const)
        .filter(([, count]) => count > 0),
    ),
  };
}

/** Identifiers and sequence numbers are as long as DynamoDB's. */
function watermarks(count: number, now: Date): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const shardId = `shardId-${String(now.getTime() + index).padStart(20, '0')}-${String(index).padStart(8, '0')}`;
      return [watermarkAttribute(shardId), watermarkValue(shardId, '4421584500000000017450439091', now)];
    }),
  );
}
