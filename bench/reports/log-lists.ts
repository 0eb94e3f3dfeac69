/** Measures the read units of sorted lists, and of lists with ranges or ids, of an organization with 10,000 entries. */
import { dayMs } from '#lambdas/platform/duration.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import type { Caller, ReportFixture } from '#test/support/reports/fixture.ts';
import { seededRandom } from '#test/support/seeded-random.ts';
import { markdownTable } from '../harness/figures.ts';
import type { CapacityMeter } from './capacity-meter.ts';
import { type Dataset, days, randomEntry, writeDataset } from './dataset.ts';

const count = 10_000;

const conditions: [name: string, query: string][] = [
  ['highest cost', 'sort=cost_usd'],
  ['longest latency', 'sort=latency_ms'],
  ['longest time to the first token', 'sort=time_to_first_token_ms'],
  ['most tokens', 'sort=total_tokens'],
  ['most retries', 'sort=retries'],
  ['lowest cost', 'sort=cost_usd&order=asc'],
  ['longest latency of a key', 'sort=latency_ms&api_key_id=key_0AAAAAAAAAAAAAAA'],
  ['latency of at least 30 s, by time', 'min_latency_ms=30000'],
  ['the oldest first', 'order=asc'],
  ['an id that no entry has', 'response_id=none'],
];

interface Sorted {
  searched_entries: number;
  searched_back_to: string | null;
}

/** Writes the organization, and measures lists of its last 30 and of all 90 days. */
export async function logListTable(
  fixture: ReportFixture,
  meter: CapacityMeter,
  { now, startMs }: Pick<Dataset, 'now' | 'startMs'>,
): Promise<string> {
  const caller = await fixture.newCaller();
  const random = seededRandom(3);
  await writeDataset(fixture, meter, {
    count,
    *entries() {
      for (let index = 0; index < count; index += 1) {
        const createdAtMs = Math.floor(startMs + ((index + random()) * days * dayMs) / count);
        yield randomEntry(createLogId(createdAtMs), caller.organizationId, random);
      }
    },
  });
  const rows: (string | number)[][] = [];
  for (const [name, query] of conditions) {
    for (const limit of [10, 100]) {
      const cells: (string | number)[] = [];
      for (const length of [30, days]) {
        const start = new Date(now.getTime() - length * dayMs).toISOString();
        cells.push(...(await measure(fixture, meter, caller, `${query}&limit=${limit}&start=${start}`)));
      }
      rows.push([`${name}, ${limit}`, ...cells]);
    }
  }
  return markdownTable(
    `Lists of log entries, of ${count.toLocaleString('en')} in ${days} days`,
    ['Query', '30 days: read units', 'entries read', '90 days: read units', 'entries read'],
    rows,
  );
}

async function measure(
  fixture: ReportFixture,
  meter: CapacityMeter,
  caller: Caller,
  query: string,
): Promise<[units: number, entries: number | string]> {
  // Reads the API key: a warm function has it in its cache.
  await fixture.get('logs', { caller, query: 'start=2100-01-01T00:00:00Z' });
  meter.take();
  const { status, body, text } = await fixture.get('logs', { caller, query });
  if (status !== 200) throw new Error(`${query}: ${status} ${text}`);
  const { units } = meter.take();
  const { sorted } = body as { sorted: Sorted | null };
  if (sorted === null) return [units, '–'];
  const part = sorted.searched_back_to === null ? '' : ` (since ${sorted.searched_back_to})`;
  return [units, sorted.searched_entries + part];
}
