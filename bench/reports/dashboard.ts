/** Measures the read units of the dashboard's queries, of an organization with 10,000 entries and of one with 100 million. */
import { dayMs, hourMs } from '#lambdas/platform/duration.ts';
import { startOfPeriod } from '#lambdas/platform/period.ts';
import { createCalendar } from '#lambdas/reports/costs/calendar.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import type { Caller, ReportFixture } from '#test/support/reports/fixture.ts';
import { seededRandom } from '#test/support/seeded-random.ts';
import { markdownTable } from '../harness/figures.ts';
import { busyCount, writeBusyRows } from './busy-rows.ts';
import type { CapacityMeter } from './capacity-meter.ts';
import { type Dataset, days, randomEntry, writeDataset } from './dataset.ts';

const timeZones = ['UTC', 'Europe/Berlin', 'Asia/Kolkata'] as const;
const smallCount = 10_000;

/** Writes both organizations, and measures each query in each time zone. */
export async function dashboardTable(
  fixture: ReportFixture,
  meter: CapacityMeter,
  { now, startMs }: Pick<Dataset, 'now' | 'startMs'>,
): Promise<string> {
  const small = await fixture.newCaller();
  const busy = await fixture.newCaller();
  const entries = [...smallEntries(small.organizationId, startMs)];
  await writeDataset(fixture, meter, {
    count: smallCount,
    *entries() {
      yield* entries;
    },
  });
  await writeBusyRows(fixture, busy.organizationId, now);
  // The newest entry and its row show up to which time the sums are complete.
  const [newest] = entries.slice(-1).map((entry) => ({ ...entry, organization_id: busy.organizationId }));
  if (newest === undefined) throw new Error('There are no entries');
  await fixture.write(newest);
  await fixture.rollUp([newest]);
  const session = entries.find(({ created_at }) => Date.parse(created_at) > now.getTime() - 10 * dayMs);

  const rows: (string | number)[][] = [];
  for (const [name, query] of costQueries(session?.session_id ?? '')) {
    const cells: (string | number)[] = [];
    for (const caller of [small, busy]) {
      for (const timeZone of timeZones) {
        const parameters = query(now, timeZone);
        // There are no rows of the sessions of 100 million entries, which a report could not read.
        const isMeasured = caller === small || !parameters.includes('group_by=session_id');
        cells.push(isMeasured ? await measure(fixture, meter, caller, parameters) : 'error 400, computed');
      }
    }
    rows.push([name, ...cells]);
  }
  const headings = [smallCount, busyCount].flatMap((count) =>
    timeZones.map((timeZone) => `${count.toLocaleString('en')}, ${timeZone}`),
  );
  return markdownTable(
    `Read units of the dashboard's cost queries, ${days} days of entries`,
    ['Query', ...headings],
    rows,
  );
}

/** All have a prompt, a user and a session of ten requests. */
function* smallEntries(organizationId: string, startMs: number) {
  const random = seededRandom(2);
  for (let index = 0; index < smallCount; index += 1) {
    const createdAtMs = Math.floor(startMs + ((index + random()) * days * dayMs) / smallCount);
    yield {
      ...randomEntry(createLogId(createdAtMs), organizationId, random),
      api_key_id: `key_${index % 4}`,
      prompt_id: `prompt-${Math.floor(random() * 20)}`,
      user_id: `user-${Math.floor(random() * 500)}`,
      session_id: `session-${Math.floor(index / 10)}`,
    };
  }
}

/** Returns read units; the status for a query that would read too much. */
async function measure(
  fixture: ReportFixture,
  meter: CapacityMeter,
  caller: Caller,
  query: string,
): Promise<string | number> {
  // Reads the API key: a warm function has it in its cache.
  await fixture.get('costs', { caller, query: 'start=2100-01-01T00:00:00Z' });
  meter.take();
  const { status, text } = await fixture.get('costs', { caller, query });
  if (status === 400 && text.includes('a report reads at most')) return 'error 400';
  if (status !== 200) throw new Error(`${query}: ${status} ${text}`);
  return meter.take().units;
}

type QueryOf = (now: Date, timeZone: string) => string;

function costQueries(sessionId: string): [name: string, query: QueryOf][] {
  const lastDays =
    (count: number, rest: string): QueryOf =>
    (now, timeZone) => {
      const start = createCalendar(timeZone).shift('day', now.getTime(), 1 - count);
      return `start=${new Date(start).toISOString()}&time_zone=${timeZone}${rest}`;
    };
  /** The days before the last ones, as the range to compare with. */
  const withDaysBefore =
    (count: number, rest: string): QueryOf =>
    (now, timeZone) => {
      const { shift } = createCalendar(timeZone);
      const [start, end] = [1 - 2 * count, 1 - count].map((days) =>
        new Date(shift('day', now.getTime(), days)).toISOString(),
      );
      return `${lastDays(count, rest)(now, timeZone)}&compare_start=${start}&compare_end=${end}`;
    };
  const lastMonths =
    (count: number, rest: string): QueryOf =>
    (now, timeZone) => {
      const start = createCalendar(timeZone).shift('month', now.getTime(), 1 - count);
      return `start=${new Date(start).toISOString()}&time_zone=${timeZone}${rest}`;
    };
  const lastHour =
    (rest: string): QueryOf =>
    (now, timeZone) => {
      const start = startOfPeriod('minute', now.getTime() - hourMs);
      return `start=${new Date(start).toISOString()}&time_zone=${timeZone}${rest}`;
    };
  const groups = ['provider', 'api_key', 'prompt_id', 'user_id', 'session_id', 'error_code'];
  const filters = [
    'api_key_id=key_1',
    'prompt_id=prompt-7',
    'user_id=user-7',
    `session_id=${sessionId}`,
    'error_code=provider:503',
  ];
  return [
    ['30 days, totals', lastDays(30, '')],
    ['30 days, totals, and those of the previous 30', lastDays(30, '&compare=previous')],
    ['30 days by day, by model', lastDays(30, '&interval=day&group_by=model')],
    ['the same, and the previous 30 days', lastDays(30, '&interval=day&group_by=model&compare=previous')],
    ['30 days, by model, and those of the 30 days before', withDaysBefore(30, '&group_by=model')],
    ['30 days, by api_key, and those of the 30 days before', withDaysBefore(30, '&group_by=api_key')],
    ['30 days, by prompt_id, and those of the 30 days before', withDaysBefore(30, '&group_by=prompt_id')],
    ...groups.map((group): [string, QueryOf] => [`30 days, by ${group}`, lastDays(30, `&group_by=${group}`)]),
    ...groups.map((group): [string, QueryOf] => [
      `30 days by day, by ${group}`,
      lastDays(30, `&interval=day&group_by=${group}`),
    ]),
    ['90 days by day, by model', lastDays(90, '&interval=day&group_by=model')],
    ['90 days by day, by api_key', lastDays(90, '&interval=day&group_by=api_key')],
    ['today by hour, by model', lastDays(1, '&interval=hour&group_by=model')],
    ['today by hour, by api_key', lastDays(1, '&interval=hour&group_by=api_key')],
    ['today by hour, by prompt_id', lastDays(1, '&interval=hour&group_by=prompt_id')],
    ['30 days by hour, by model', lastDays(30, '&interval=hour&group_by=model')],
    ['an hour by minute, by model', lastHour('&interval=minute&group_by=model')],
    ['12 months by month, by model', lastMonths(12, '&interval=month&group_by=model')],
    ['12 months by month, by api_key', lastMonths(12, '&interval=month&group_by=api_key')],
    ...filters.map((filter): [string, QueryOf] => [
      `30 days by day, by model, of one ${filter.split('=')[0]}`,
      lastDays(30, `&interval=day&group_by=model&${filter}`),
    ]),
  ];
}
