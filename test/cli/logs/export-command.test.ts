import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addUsd } from '#lambdas/platform/money.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type AdminFixture, createAdminFixture, runAdminCommand } from '#test/support/admin-command.ts';
import { readCsv, unescapeFormulas } from '#test/support/csv-reader.ts';
import { type RequestGate, startRequestGate } from '#test/support/http/request-gate.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { type Caller, type ReportFixture, startReportFixture } from '#test/support/reports/fixture.ts';
import { byTestForm } from '#test/support/test-form.ts';

let reports: ReportFixture;
let gateway: AdminFixture;
let folder: string;

beforeAll(async () => {
  reports = await startReportFixture();
  gateway = await createAdminFixture(reports);
});

afterAll(async () => {
  await gateway.stop();
  await reports.stop();
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-export-'));
});

afterEach(() => rm(folder, { recursive: true }));

const minuteMs = 60_000;
const startMs = Math.floor(Date.now() / minuteMs) * minuteMs - 120 * minuteMs;

const variants: Partial<LogEntry>[] = [
  { cost_usd: '0.000000000001', user_id: '=HYPERLINK("http://x")', session_id: 'Grüße, "du"' },
  {
    cost_usd: '1234567.890123456789',
    model: 'a/b',
    prompt_id: '+49 30',
    pricing: 'assumed',
    pricing_gaps: ['code_execution'],
    service_tier: '=flex',
    region: 'eu',
    billed_parts: [
      { model: 'a/b', input_tokens: 1000, output_tokens: 200, cached_input_tokens: 24 },
      { model: 'advisor, "new"', input_tokens: 200, output_tokens: 100 },
    ],
  },
  { cost_usd: '0', pricing: 'unknown', response_model: '' },
  { cost_usd: '0', pricing: null, outcome: 'rejected', status: 400, provider: null, model: null },
  { cost_usd: '0', pricing: null, outcome: 'provider_error', status: 502, error_code: 'provider_error' },
];

/** Writes and rolls up one entry every 700 ms, distributed over the shards in turn. */
async function writeEntries(caller: Caller, count: number, shards: number): Promise<LogEntry[]> {
  const entries = Array.from({ length: count }, (_, number) =>
    logEntry({
      id: createLogId(startMs + number * 700, number % shards),
      organization_id: caller.organizationId,
      ...variants[number % variants.length],
    }),
  );
  await reports.write(...entries);
  await reports.rollUp(entries);
  return entries;
}

const time = (ms: number) => new Date(ms).toISOString();

interface ExportOptions {
  caller: Caller;
  fromMs?: number;
  toMs?: number;
  format?: string;
}

function exportCommand({ caller, fromMs = startMs, toMs, format = 'ndjson' }: ExportOptions): string[] {
  const window = ['--from', time(fromMs), '--to', time(toMs ?? startMs + 60 * minuteMs)];
  return ['logs', 'export', '--organization', caller.organizationId, ...window, '--format', format];
}

const toFile = (name: string) => ['--output', join(folder, name)];
const readExport = (name: string) => readFile(join(folder, name), 'utf8');

describe('logs export', () => {
  it('exports the stored fields of GET /api/logs/{id} and the organization as ndjson, oldest first', async () => {
    const caller = await reports.newCaller({ logShards: 3 });
    const entries = await writeEntries(caller, 50, 3);
    const logs = await Promise.all(entries.map(({ id }) => reports.get('log', { caller, id })));

    const { exitCode } = await gateway.run([...exportCommand({ caller }), ...toFile('logs.ndjson')]);

    const text = await readExport('logs.ndjson');
    const lines = text.split('\n');
    expect([exitCode, lines.length, lines.at(-1)]).toEqual([0, 51, '']);
    expect(lines.slice(0, -1).map((line) => JSON.parse(line))).toEqual(
      logs.map(({ body }) => {
        const { cost_breakdown: _, ...entry } = body as { cost_breakdown: unknown };
        return { ...entry, organization_id: caller.organizationId };
      }),
    );
    expect(text).toContain('"cost_usd":1234567.890123456789,');
    expect(text).toContain('"cost_usd":0.000000000001,');
  });

  it('exports the same fields as csv, with empty fields for null and with formulas escaped', async () => {
    const caller = await reports.newCaller({ logShards: 3 });
    const entries = await writeEntries(caller, 50, 3);

    await gateway.run([...exportCommand({ caller, format: 'csv' }), ...toFile('logs.csv')]);

    const [names = [], ...records] = readCsv(await readExport('logs.csv'));
    const read = records.map((record) =>
      Object.fromEntries(
        names.map((name, at) => [name, record[at] ? unescapeFormulas(record[at]) : record[at]]),
      ),
    );
    const asText = (entry: LogEntry) =>
      Object.fromEntries(
        Object.entries(entry).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : jsonText(value),
        ]),
      );
    expect(names.slice(0, 3)).toEqual(['organization_id', 'id', 'created_at']);
    expect(read).toEqual(entries.map(asText));
    expect(await readExport('logs.csv')).toContain(`,"'=HYPERLINK(""http://x"")",`);
  });

  it('exports the requests that reached a provider as focus rows, whose costs add up to the total', async () => {
    const caller = await reports.newCaller({ logShards: 3 });
    const entries = await writeEntries(caller, 50, 3);

    const { stdout } = await gateway.run([
      ...exportCommand({ caller, format: 'focus' }),
      ...toFile('focus.csv'),
      '--json',
    ]);

    const [names = [], ...records] = readCsv(await readExport('focus.csv'));
    const column = (name: string) => records.map((record) => record[names.indexOf(name)] ?? '');
    const rejected = entries.filter(({ outcome }) => outcome === 'rejected');
    const withTwoParts = entries.filter(({ billed_parts }) => billed_parts !== null);
    expect(records).toHaveLength(entries.length - rejected.length + withTwoParts.length);
    expect(new Set(column('BillingAccountId'))).toEqual(new Set([caller.organizationId]));
    expect(new Set(column('BillingAccountName'))).toEqual(new Set(['test']));
    const starts = column('ChargePeriodStart');
    expect(starts).toEqual(starts.toSorted());
    expect(column('BilledCost').reduce(addUsd)).toBe(entries.map(({ cost_usd }) => cost_usd).reduce(addUsd));
    expect(stdout).toContain(`"total_cost_usd": ${column('BilledCost').reduce(addUsd)},`);
    expect(JSON.parse(stdout)).toMatchObject({ format: 'focus', entries: 50, total_requests: 40 });
  });

  it.each([
    [0, 60 * minuteMs],
    [1, 3 * minuteMs + 701],
    [minuteMs - 1, minuteMs + 2],
    [700, 1400],
    [1401, 1401],
  ])('exports the entries and totals of GET /api/costs from %i ms to %i ms', async (from, to) => {
    const caller = await reports.newCaller({ logShards: 3 });
    const entries = await writeEntries(caller, 300, 3);
    const window = { fromMs: startMs + from, toMs: startMs + to };
    const inside = entries.filter(({ created_at }) => {
      const createdMs = Date.parse(created_at);
      return createdMs >= window.fromMs && createdMs < window.toMs;
    });
    const query = `start=${time(window.fromMs)}&end=${time(window.toMs)}`;
    const costs = await reports.get('costs', { caller, query });

    const { stdout } = await gateway.run([
      ...exportCommand({ caller, ...window }),
      ...toFile('logs.ndjson'),
      '--json',
    ]);

    const lines = (await readExport('logs.ndjson')).trimEnd().split('\n').filter(Boolean);
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(inside.map(({ id }) => id));
    expect(JSON.parse(stdout)).toMatchObject({
      file: join(folder, 'logs.ndjson'),
      from: time(window.fromMs),
      to: time(window.toMs),
      entries: inside.length,
    });
    // Compared as text, since parsing would lose digits.
    const digits = (json: string, name: string) => json.split(`"${name}":`, 2)[1]?.match(/[\d.]+/)?.[0];
    for (const name of ['total_cost_usd', 'assumed_cost_usd'])
      expect(digits(stdout, name)).toBe(digits(costs.text, name));
    expect(costs.body).toMatchObject(pick(JSON.parse(stdout), 'total_requests', 'unpriced_requests'));
    expect(costs.body).toMatchObject(pick(JSON.parse(stdout), 'assumed_requests'));
    expect(costs.body).toMatchObject(pick(JSON.parse(stdout), 'total_input_tokens', 'total_output_tokens'));
  });

  it('exports the entries of all organizations in one chronological order without --organization', async () => {
    const callers = [await reports.newCaller(), await reports.newCaller({ logShards: 2 })];
    const entries = (await Promise.all(callers.map((caller) => writeEntries(caller, 4, 1)))).flat();
    const window = ['--from', time(startMs), '--to', time(startMs + 60 * minuteMs)];

    await gateway.run(['logs', 'export', ...window, '--format', 'ndjson', ...toFile('all.ndjson')]);

    const ids = (await readExport('all.ndjson'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    expect(ids).toEqual(ids.toSorted());
    expect(ids).toEqual(expect.arrayContaining(entries.map(({ id }) => id)));
  });

  it('writes entries to standard output and the summary to standard error with --output -', async () => {
    const caller = await reports.newCaller();
    await writeEntries(caller, 3, 1);

    const { stdout, stderr } = await gateway.run([...exportCommand({ caller }), '--output', '-']);

    expect(stdout.split('\n')).toHaveLength(4);
    expect(stderr.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['FILE', 'ENTRIES', 'REQUESTS', 'COST IN USD', 'UNPRICED', 'ASSUMED', 'ESTIMATED'],
      ['-', '3', '3', '1234567.89012345679', '1', '1 ($1234567.890123456789)', '-'],
      [''],
    ]);
  });

  it.each([
    ['ndjson', '.ndjson'],
    ['csv', '.csv'],
    ['focus', '-focus.csv'],
  ])('names a file of %s after the window and creates it where npm was called', async (format, suffix) => {
    const caller = await reports.newCaller();
    await writeEntries(caller, 1, 1);
    const [from, to] = ['2026-01-31T00:00:00Z', '2026-01-31T09:30:00.5+01:00'];
    const options = ['--from', from, '--to', to, '--format', format];

    await runAdminCommand(['logs', 'export', '--organization', caller.organizationId, ...options], {
      environment: { GATEWAY_DATA_DIRECTORY: gateway.dataDirectory, INIT_CWD: folder },
    });

    const name = `logs-${caller.organizationId}-20260131T000000Z-20260131T083000.500Z${suffix}`;
    expect(await readdir(folder)).toEqual([name]);
    expect((await readExport(name)).split('\r\n')).toHaveLength(format === 'ndjson' ? 1 : 2);
  });

  it('replaces an existing file only with --force', async () => {
    const caller = await reports.newCaller();
    const command = [...exportCommand({ caller }), ...toFile('logs.ndjson')];
    await writeFile(join(folder, 'logs.ndjson'), 'mine');

    const rejected = await gateway.run(command);
    const before = await readExport('logs.ndjson');
    const replaced = await gateway.run([...command, '--force']);

    expect(rejected).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `error: --output: ${join(folder, 'logs.ndjson')} already exists: replace it with --force\n`,
    });
    expect([before, replaced.exitCode, await readExport('logs.ndjson')]).toEqual(['mine', 0, '']);
  });

  it.each([
    [['--from', 'x'], /^error: --from must be an RFC 3339 timestamp, such as 2026-01-31T09:30:00Z\n$/],
    [['--to', '2026'], /^error: --to must be an RFC 3339/],
    [['--to', '2020-01-01T00:00:00Z'], /^error: --from must not be after --to\n$/],
    [['--format', 'xlsx'], /^error: --format must be ndjson, csv or focus\n$/],
    [['--output', '/nowhere/at/all'], /^error: --output: ENOENT/],
    [['--limit', '5'], /^error: unknown option '--limit'/],
  ])('rejects %j', async (options, message) => {
    const caller = await reports.newCaller();
    const result = await gateway.run([...exportCommand({ caller }), ...toFile('logs'), ...options]);

    expect(result).toEqual({ exitCode: 2, stdout: '', stderr: expect.stringMatching(message) });
  });

  it.each(['--from', '--to', '--format'])('requires %s', async (flag) => {
    const command = exportCommand({ caller: { organizationId: 'org_1', apiKey: '' } });
    const at = command.indexOf(flag);

    const result = await gateway.run(command.toSpliced(at, 2));

    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain(`required option '${flag} <`);
  });
});

describe('An interrupted export', () => {
  let gate: RequestGate;
  let slow: AdminFixture;
  beforeEach(async () => {
    gate = await startRequestGate(reports.database.endpoint, 'DynamoDB_20120810.Query');
    slow = await createAdminFixture({
      ...reports,
      database: { ...reports.database, endpoint: gate.endpoint },
    });
  });
  afterEach(async () => {
    await slow.stop();
    await gate.stop();
  });

  const shards = 250;
  const firstPages = shards;

  /** Writes entries to one of so many shards that the page size drops to 40, which gives four pages. */
  async function fourPages(format: string) {
    const caller = await reports.newCaller({ logShards: shards });
    await writeEntries(caller, 160, 1);
    const command = exportCommand({ caller, format });
    await gateway.run([...command, ...toFile('expected')]);
    return {
      organizationId: caller.organizationId,
      command: [...command, ...toFile('logs')],
      expected: await readExport('expected'),
    };
  }

  it.each(byTestForm({ short: ['csv'], long: ['ndjson', 'csv', 'focus'] }))(
    'continues after SIGTERM where it stopped, as %s',
    async (format) => {
      const { organizationId, command, expected } = await fourPages(format);

      const { child, result } = slow.start(command);
      // When the third page is requested, the first page has been written.
      await gate.admit(firstPages + 2);
      child.kill('SIGTERM');
      await once(child.stderr ?? child, 'data');
      gate.open();
      const stopped = await result;
      const partial = await readExport('logs.partial');
      const { exitCode, stdout, stderr } = await gateway.run([...command, '--json']);
      const records = await gateway.audit.records(organizationId);

      expect(stopped).toEqual({
        exitCode: 130,
        stdout: '',
        // Progress is printed after five seconds, which a busy machine may need.
        stderr: expect.stringMatching(
          /^(\d+ entries, at \S+Z\n)*Stopping at the next safe point \.\.\.\nerror: Stopped: run the same command again to continue\n$/,
        ),
      });
      expect([expected.startsWith(partial), partial.length > 0, exitCode]).toEqual([true, true, 0]);
      expect(stderr).toMatch(/^note: continuing .*logs\.partial after (40|80|120) entries\n$/);
      expect(JSON.parse(stdout)).toMatchObject({ entries: 160, total_requests: 128, unpriced_requests: 32 });
      expect(await readExport('logs')).toBe(expected);
      expect(await readdir(folder)).toEqual(['expected', 'logs']);
      const [, entries] = /after (\d+) entries/.exec(stderr) ?? [];
      expect(records.slice(-4).map(({ stage, after }) => [stage, after?.entries, after?.stopped])).toEqual([
        ['started', undefined, undefined],
        ['failed', Number(entries), true],
        ['started', undefined, undefined],
        ['completed', 160, undefined],
      ]);
    },
  );

  it('leaves a partial file after SIGKILL, which the next run completes', async () => {
    const { command, expected } = await fourPages('ndjson');

    const { child } = slow.start(command);
    await gate.admit(firstPages + 2);
    child.kill('SIGKILL');
    await once(child, 'close');
    const filesAfterKill = await readdir(folder);
    const { exitCode } = await gateway.run(command);

    expect(filesAfterKill).toEqual(['expected', 'logs.partial', 'logs.partial.json']);
    expect(exitCode).toBe(0);
    expect(await readExport('logs')).toBe(expected);
    expect(await readdir(folder)).toEqual(['expected', 'logs']);
  });
});

/** `null` is an empty field. */
function jsonText(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

function pick(object: Record<string, unknown>, ...names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, object[name]]));
}
