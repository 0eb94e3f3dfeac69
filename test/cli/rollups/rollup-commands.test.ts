import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newOrganizationId } from '#lambdas/access/id.ts';
import { activateRebuild, findRebuildState, scheduleRebuild } from '#lambdas/costs/repair/rebuild-state.ts';
import { beginReprice } from '#lambdas/costs/reprice/run.ts';
import { toRowUpdates } from '#lambdas/costs/rollups/row-updates.ts';
import { noTotals } from '#lambdas/costs/rollups/totals.ts';
import { createCostRollupWriter } from '#lambdas/costs/rollups/writer.ts';
import { setBudget } from '#lambdas/limits/budgets/budgets.ts';
import { listBudgetRecords } from '#lambdas/limits/budgets/store.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { createSdkLogEntryWriter } from '#lambdas/request-log/table/log-entries-table.ts';
import { type AdminFixture, startAdminFixture } from '#test/support/admin-command.ts';
import { logEntry } from '#test/support/log-entries.ts';

let gateway: AdminFixture;
let organizationId: string;

beforeAll(async () => {
  gateway = await startAdminFixture();
});

afterAll(async () => {
  await gateway?.stop();
});

beforeEach(async () => {
  organizationId = newOrganizationId();
  await gateway.directory.createOrganization(
    {
      id: organizationId,
      name: 'Acme',
      created_at: '2026-01-01T00:00:00.000Z',
      log_shards: 1,
    },
    gateway.audit,
  );
});

const findState = () => findRebuildState(rollups(), organizationId);
const rollups = () => ({
  client: gateway.database.documentClient,
  tableName: gateway.tables.costRollups,
});

/** Writes an entry of ten minutes ago, which `verify` does not skip. */
async function write(fields: Partial<LogEntry> = {}): Promise<LogEntry> {
  const writtenAt = new Date(Date.now() - 600_000);
  const entry = logEntry({
    id: createLogId(writtenAt.getTime()),
    organization_id: organizationId,
    ...fields,
  });
  const table = { client: gateway.database.documentClient, tableName: gateway.tables.logEntries };
  await createSdkLogEntryWriter({ ...table, now: () => writtenAt }, 90).put(entry);
  return entry;
}

async function count(entry: LogEntry): Promise<void> {
  const record = { sequenceNumber: '1', entry, before: null, writtenAtMs: Date.parse(entry.created_at) };
  await createCostRollupWriter(rollups(), () => new Date()).add(
    'shardId-1',
    toRowUpdates([record], () => [0]),
  );
}

describe('rollups verify', () => {
  it('prints the number of compared rows and succeeds without differences', async () => {
    const entry = await write();
    await count(entry);

    const { exitCode, stdout, stderr } = await gateway.run([
      'rollups',
      'verify',
      '--organization',
      organizationId,
    ]);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const [headings, line, ...others] = stdout.split('\n');
    expect(headings).toMatch(/^ORGANIZATION +FROM +TO +ENTRIES +ROWS +SKIPPED +DIFFERENCES$/);
    // One minute row and one hour row by model, and one hour row by API key.
    expect(line).toMatch(
      new RegExp(`^${organizationId} +${entry.created_at.slice(0, 10)}T00:00:00.000Z +\\S+Z +1 +3 +0 +0$`),
    );
    expect(others).toEqual(['']);
  });

  it('prints each difference and fails', async () => {
    const { created_at } = await write({ cost_usd: '0.000000000001' });

    const { exitCode, stdout, stderr } = await gateway.run([
      'rollups',
      'verify',
      '--organization',
      organizationId,
    ]);
    const asJson = await gateway.run(['rollups', 'verify', '--organization', organizationId, '--json']);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: 'error: 3 rows differ from the expected totals: correct them with "rollups rebuild"\n',
    });
    const hour = created_at.slice(0, 'YYYY-MM-DDTHH'.length);
    const sums = [
      ...['requests 0, expected 1', 'input_tokens 0, expected 1200', 'output_tokens 0, expected 300'],
      ...['cached_input_tokens 0, expected 1024', 'reasoning_tokens 0, expected 128'],
      ...['latency_ms 0, expected 5120', 'overhead_ms 0, expected 7'],
      ...['cost_usd 0, expected 0.000000000001', 'l50 0, expected 1', 'f36 0, expected 1'],
    ]
      .map((sum) => `${sum} from its entries`)
      .join('; ');
    const model = 'openai/gpt-4o \\(default\\)';
    expect(stdout.split('\n').filter((line) => line.includes(' hour '))).toEqual([
      expect.stringMatching(`^${organizationId} +hour +${hour} +api_key +key_A{16} +${model} +${sums}$`),
      expect.stringMatching(`^${organizationId} +hour +${hour} +totals +- +${model} +${sums}$`),
    ]);
    const zero = { ...noTotals, cost_usd: 0, assumed_cost_usd: 0, estimated_cost_usd: 0 };
    expect(asJson.exitCode).toBe(1);
    expect(JSON.parse(asJson.stdout)[0].differences[0]).toEqual({
      period: 'hour',
      start: hour,
      dimension: 'api_key',
      write_shard: 0,
      value: 'key_AAAAAAAAAAAAAAAA',
      provider: 'openai',
      operation: 'chat.completions',
      service_tier: 'default',
      model: 'gpt-4o',
      compared_with: 'entries',
      rollup: zero,
      expected: {
        ...zero,
        requests: 1,
        cost_usd: 0.000000000001,
        input_tokens: 1200,
        output_tokens: 300,
        cached_input_tokens: 1024,
        reasoning_tokens: 128,
        latency_ms: 5120,
        overhead_ms: 7,
        histograms: { l50: 1, f36: 1 },
      },
    });
  });

  it('prints a model without a service tier, and differences of assumed costs', async () => {
    await write({ service_tier: null, pricing: 'assumed', cost_usd: '0.5' });

    const { stdout } = await gateway.run(['rollups', 'verify', '--organization', organizationId]);

    expect(stdout).toMatch(
      /openai\/gpt-4o {2,}requests 0, .*; assumed_requests 0, expected 1 from its entries; .*assumed_cost_usd 0, expected 0\.5 from its entries;/m,
    );
  });

  it('skips rows with entries written within the --settle time', async () => {
    await write();

    const { exitCode, stdout } = await gateway.run([
      ...['rollups', 'verify', '--organization', organizationId],
      ...['--settle', '3600'],
    ]);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      / 1 +0 +3 +0\n\nSkipped rows contain an entry that was written less than 3600 seconds ago.\n$/,
    );
  });

  it('reports zero rows for an organization without entries', async () => {
    const { exitCode, stdout } = await gateway.run([
      ...['rollups', 'verify', '--organization', organizationId],
      ...['--from', '2026-01-01T00:00:00Z', '--json'],
    ]);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      {
        organization_id: organizationId,
        from: null,
        to: null,
        entries: 0,
        rows: 0,
        rows_left_out: 0,
        differences: [],
        counter_differences: [],
      },
    ]);
  });

  it.each([
    [['--settle', 'soon'], '--settle must be a whole number from 0 to 99999'],
    [['--from', 'yesterday'], '--from must be an RFC 3339 timestamp'],
  ])('rejects %j', async (options, message) => {
    const { exitCode, stderr } = await gateway.run(['rollups', 'verify', ...options]);

    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  it('fails with the id of an unknown organization', async () => {
    const result = await gateway.run(['rollups', 'verify', '--organization', 'org_unknown']);

    expect(result).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'error: Organization org_unknown was not found: see "org list"\n',
    });
  });
});

describe('rollups rebuild', () => {
  it('leaves the rollups of an organization without entries unchanged', async () => {
    const line = ['rollups', 'rebuild', '--organization', organizationId];

    const { exitCode, stdout, stderr } = await gateway.run(line);
    const asJson = await gateway.run([...line, '--json']);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(
      new RegExp(
        `^ORGANIZATION +RESULT +ENTRIES COUNTED +COUNTED FROM\n${organizationId} +unchanged: no entries to count +0 +-\n$`,
      ),
    );
    expect(JSON.parse(asJson.stdout)).toEqual([
      { organization_id: organizationId, status: 'nothing_to_count', entries: 0, counted_from: null },
    ]);
  });

  it('fails for an organization whose costs are being repriced', async () => {
    await write();
    await beginReprice(rollups(), { organizationId, id: 'run', startedAt: new Date() });

    const { exitCode, stdout, stderr } = await gateway.run([
      'rollups',
      'rebuild',
      '--organization',
      organizationId,
    ]);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `error: Not rebuilt because of an unfinished or recent "costs reprice": ${organizationId}\n`,
    });
    expect(stdout).toContain('not rebuilt: "costs reprice" has not finished');
  });

  it('requests a recount of all budgets of an organization that the interrupted run has rebuilt', async () => {
    const startedMs = Date.now() - 300_000;
    await scheduleRebuild(rollups(), organizationId, await findState(), {
      cutoverMs: startedMs + 10_000,
      run: { startedMs, coversAllOrganizations: false },
      countsFromMs: 0,
      countsUntilMs: startedMs + 86_400_000,
    });
    const { rebuild, ...state } = await findState();
    if (rebuild === null) throw new Error('The rebuild has not begun');
    await activateRebuild(rollups(), organizationId, { ...state, rebuild }, startedMs + 100_000);
    const directoryTable = { client: gateway.database.documentClient, tableName: gateway.tables.directory };
    const scopes = [
      { organizationId, keyId: null },
      { organizationId, keyId: 'key_1' },
    ];
    const budget = { amountUsd: '1', hard: false, allowsUnpriced: false };
    const tables = {
      directoryTable: { ...directoryTable, now: () => new Date() },
      budgetCounters: { ...directoryTable, tableName: gateway.tables.budgetCounters },
    };
    for (const scope of scopes) await setBudget(tables, scope, 'day', budget, gateway.audit);

    const { exitCode, stdout } = await gateway.run(['rollups', 'rebuild', '--organization', organizationId]);

    expect(exitCode).toBe(0);
    expect(stdout).toContain('rebuilt by the run that was stopped');
    expect(await listBudgetRecords(directoryTable, organizationId)).toMatchObject(
      scopes.map((scope) => ({ scope, revision: 2, needsRecount: true })),
    );
    expect((await findState()).discards).toEqual([]);
  });

  it('stops on SIGINT and leaves the rebuild in a state that can be continued', async () => {
    await write();
    const child = spawn(
      process.execPath,
      [
        resolve(import.meta.dirname, '../../../bin/admin.ts'),
        'rollups',
        'rebuild',
        '--organization',
        organizationId,
      ],
      { env: { PATH: process.env.PATH, GATEWAY_DATA_DIRECTORY: gateway.dataDirectory } },
    );
    const ended = once(child, 'close');
    const output = Promise.all([text(child.stdout), text(child.stderr)]);
    await expect.poll(async () => (await findState()).rebuild?.cutoverConfirmed).toBe(true);

    child.kill('SIGINT');

    expect((await ended)[0]).toBe(130);
    const [stdout, stderr] = await output;
    expect(stdout).toBe('');
    // Without the lines of its progress, if the command has taken long.
    const lines = stderr.split('\n').filter((line) => /^(Stopping|error)/.test(line));
    expect(lines).toEqual([
      'Stopping at the next safe point ...',
      'error: Stopped: run the same command again to continue',
    ]);
    expect((await findState()).rebuild).toMatchObject({ generation: 1, counted: null });
    expect((await gateway.audit.records(organizationId)).slice(-2)).toMatchObject([
      { action: 'rollups.rebuilt', stage: 'started', after: {} },
      { action: 'rollups.rebuilt', stage: 'failed', after: { organizations: 0, stopped: true } },
    ]);
  });
});
