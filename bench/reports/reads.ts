import { hourMs } from '#lambdas/platform/duration.ts';
import type { Caller, ReportFixture } from '#test/support/reports/fixture.ts';
import { markdownTable, median } from '../harness/figures.ts';
import type { CapacityMeter } from './capacity-meter.ts';
import { type Dataset, days } from './dataset.ts';

interface Query {
  name: string;
  endpoint: 'logs' | 'log' | 'costs';
  caller: Caller;
  query?: string;
  id?: string;
}

const rounds = 7;

export async function readTable(
  fixture: ReportFixture,
  meter: CapacityMeter,
  dataset: Dataset,
): Promise<string> {
  const rows: (string | number)[][] = [];
  for (const query of await allQueries(fixture, dataset)) {
    rows.push(await measure(fixture, meter, query));
  }
  const title = `Reads: ${dataset.count.toLocaleString('en')} entries over ${days} days, 12 models, 2 organizations`;
  return markdownTable(title, ['Query', 'Read units', 'Items', 'Calls', 'ms (median)'], rows);
}

/** Starts with a warm-up request, which reads the API key: a warm function has it in its cache. */
async function measure(
  fixture: ReportFixture,
  meter: CapacityMeter,
  { name, endpoint, ...request }: Query,
): Promise<(string | number)[]> {
  const samplesMs: number[] = [];
  await fixture.get(endpoint, request);
  for (let round = 0; round < rounds; round += 1) {
    meter.take();
    const startedAt = performance.now();
    const { status, text } = await fixture.get(endpoint, request);
    samplesMs.push(performance.now() - startedAt);
    if (status !== 200) throw new Error(`${name}: ${status} ${text}`);
  }
  const { units, items, calls } = meter.take();
  return [name, units, endpoint === 'log' ? 1 : items, calls, median(samplesMs)];
}

async function allQueries(fixture: ReportFixture, dataset: Dataset): Promise<Query[]> {
  const { sharded } = dataset;
  return [
    ...(await logQueries(fixture, dataset)),
    { name: 'logs, first page of 100, 16 shards', endpoint: 'logs', caller: sharded },
    ...costQueries(dataset),
  ];
}

async function logQueries(fixture: ReportFixture, { large: caller, count }: Dataset): Promise<Query[]> {
  const logs = (name: string, query: string): Query => ({
    name: `logs, ${name}`,
    endpoint: 'logs',
    caller,
    query,
  });
  const { id } = (await getPage(fixture, caller, 'limit=1')).data[0] ?? { id: '' };
  const cursors = await Promise.all(
    [1_000, count * 0.75].map((depth) =>
      cursorAt(fixture, caller, depth).then((cursor) => ({ depth, cursor })),
    ),
  );
  return [
    { name: 'logs, one entry', endpoint: 'log', caller, id },
    logs('first page of 100', 'limit=100'),
    logs('page of 1,000', 'limit=1000'),
    ...cursors.map(({ depth, cursor }) =>
      logs(`page of 100 by cursor, ${depth.toLocaleString('en')} deep`, `limit=100&cursor=${cursor}`),
    ),
    logs('page of 100 by offset 5,000', 'limit=100&offset=5000'),
    logs('by model', 'model=gpt-4o'),
    logs('by user', 'user_id=user-7'),
    logs('by user, model and provider', 'user_id=user-7&model=openai/gpt-4o&provider=openai'),
    logs('by status 429', 'status=429'),
  ];
}

function costQueries({ large, sharded, now, startMs }: Dataset): Query[] {
  const timeRange = (ms: number) =>
    `start=${new Date(now.getTime() - ms).toISOString()}&end=${now.toISOString()}`;
  const all = `start=${new Date(startMs).toISOString()}`;
  const costs = (name: string, query: string, caller = large): Query => ({
    name: `costs, ${name}`,
    endpoint: 'costs',
    caller,
    query,
  });
  return [
    costs('an hour, exact to the millisecond', timeRange(hourMs)),
    costs('a day, exact to the millisecond', timeRange(24 * hourMs)),
    costs('90 days, exact to the millisecond', timeRange(90 * 24 * hourMs - 1)),
    costs('all', ''),
    costs('a day, 16 shards', timeRange(24 * hourMs), sharded),
    costs('90 days, by day', `${all}&interval=day`),
    costs('90 days, by key', `${all}&group_by=api_key`),
    costs('40 days, by user', `${timeRange(40 * 24 * hourMs)}&group_by=user_id`),
  ];
}

interface Page {
  data: { id: string }[];
  next_cursor: string | null;
}

async function getPage(fixture: ReportFixture, caller: Caller, query: string): Promise<Page> {
  return (await fixture.get('logs', { caller, query })).body as Page;
}

async function cursorAt(fixture: ReportFixture, caller: Caller, depth: number): Promise<string> {
  let cursor = '';
  for (let skipped = 0; skipped < depth; skipped += 1000) {
    const page = await getPage(fixture, caller, `limit=1000${cursor && `&cursor=${cursor}`}`);
    if (page.next_cursor === null) throw new Error(`The organization has fewer than ${depth} entries`);
    cursor = page.next_cursor;
  }
  return cursor;
}
