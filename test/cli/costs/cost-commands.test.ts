import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { priceTable } from '#lambdas/pricing/table/price-table.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { usageFields } from '#lambdas/request-log/entry-usage.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type AdminFixture, createAdminFixture } from '#test/support/admin-command.ts';
import { openStreamTail, type StreamTail } from '#test/support/dynamodb/stream-tail.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { type Caller, type ReportFixture, startReportFixture } from '#test/support/reports/fixture.ts';
import { byTestForm } from '#test/support/test-form.ts';

let reports: ReportFixture;
let stream: StreamTail;
let gateway: AdminFixture;

beforeAll(async () => {
  reports = await startReportFixture();
  const { database, tables } = reports;
  stream = await openStreamTail(database.endpoint, tables.logEntriesStreamArn);
  const vllm = { baseUrl: 'http://127.0.0.1:8000/v1', prices: { input: 1, output: 2 } };
  gateway = await createAdminFixture({ database, tables, providerSettings: { vllm } });
});

afterAll(async () => {
  stream.stop();
  await gateway.stop();
  await reports.stop();
});

const minuteMs = 60_000;

/** Builds an unpriced entry of an hour ago with 1,000 input and 500 output tokens. */
function unpricedEntry(caller: Caller, fields: Partial<LogEntry> & { shard?: number } = {}): LogEntry {
  const { shard = 0, ...others } = fields;
  return logEntry({
    id: createLogId(Date.now() - 60 * minuteMs, shard),
    organization_id: caller.organizationId,
    ...usageFields([{ model: null, usage: { ...noUsage, freshInputTokens: 1000, outputTokens: 500 } }], null),
    cost_usd: '0',
    pricing: 'unknown',
    ...others,
  });
}

async function rollUpAndGetCosts(caller: Caller) {
  const Records = [...(await stream.read())];
  await reports.rollupHandler({ shardId: stream.shardId, Records });
  const { total_requests, total_cost_usd, unpriced_requests, assumed_requests, assumed_cost_usd } = (
    await reports.get('costs', { caller })
  ).body as Record<string, unknown>;
  return { total_requests, total_cost_usd, unpriced_requests, assumed_requests, assumed_cost_usd };
}

const nothingAssumed = { assumed_requests: 0, assumed_cost_usd: 0 };

describe('costs reprice', () => {
  it('reprices entries with the price table and the settings and updates the rollups', async () => {
    const caller = await reports.newCaller({ logShards: 2 });
    const vllm = { provider: 'vllm', model: 'llama', response_model: null, shard: 1 };
    const unheardOf = { model: 'unheard-of', response_model: null };
    await reports.write(unpricedEntry(caller), unpricedEntry(caller, vllm), unpricedEntry(caller, unheardOf));
    const command = ['costs', 'reprice', '--organization', caller.organizationId];
    const before = await rollUpAndGetCosts(caller);

    const dryRun = await gateway.run([...command, '--dry-run', '--json']);
    const afterDryRun = await rollUpAndGetCosts(caller);
    const { exitCode, stdout, stderr } = await gateway.run(command);
    const after = await rollUpAndGetCosts(caller);
    const again = await gateway.run([...command, '--json']);

    const counts = {
      read: 3,
      changed: 2,
      kept: 1,
      still_unknown: 1,
      still_assumed: 0,
      cost_difference_usd: 0.0095,
    };
    expect(before).toEqual({
      total_requests: 3,
      total_cost_usd: 0,
      unpriced_requests: 3,
      ...nothingAssumed,
    });
    expect(JSON.parse(dryRun.stdout)).toEqual({
      dry_run: true,
      price_table: priceTable.version,
      ...counts,
      organizations: [
        {
          organization_id: caller.organizationId,
          from: '1970-01-01T00:00:00.000Z',
          to: expect.stringMatching(/^20\d\d-/),
          ...counts,
        },
      ],
    });
    expect(afterDryRun).toEqual(before);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ORGANIZATION', 'READ', 'CHANGED', 'KEPT', 'STILL UNKNOWN', 'STILL ASSUMED', 'DIFFERENCE IN USD'],
      [caller.organizationId, '3', '2', '1', '1', '0', '0.0095'],
      ['total', '3', '2', '1', '1', '0', '0.0095'],
      [''],
    ]);
    expect(after).toEqual({
      total_requests: 3,
      total_cost_usd: 0.0095,
      unpriced_requests: 1,
      ...nothingAssumed,
    });
    expect(JSON.parse(again.stdout)).toMatchObject({ read: 3, changed: 0, cost_difference_usd: 0 });
  });

  it('moves the costs of entries with an assumed price by the exact difference', async () => {
    const caller = await reports.newCaller();
    const assumed = { pricing: 'assumed', service_tier: 'default' } as const;
    const unheardOf = { model: 'unheard-of', response_model: null };
    await reports.write(
      unpricedEntry(caller, { ...assumed, cost_usd: '0.006000000001' }),
      unpricedEntry(caller, { ...assumed, ...unheardOf, cost_usd: '0.2' }),
    );
    const command = ['costs', 'reprice', '--organization', caller.organizationId, '--json'];
    const before = await rollUpAndGetCosts(caller);

    const { stdout } = await gateway.run(command);

    expect(before).toEqual({
      total_requests: 2,
      total_cost_usd: 0.206000000001,
      unpriced_requests: 0,
      assumed_requests: 2,
      assumed_cost_usd: 0.206000000001,
    });
    expect(JSON.parse(stdout)).toMatchObject({
      read: 2,
      changed: 1,
      kept: 1,
      still_unknown: 0,
      still_assumed: 1,
      cost_difference_usd: 0.001499999999,
    });
    expect(await rollUpAndGetCosts(caller)).toEqual({
      total_requests: 2,
      total_cost_usd: 0.2075,
      unpriced_requests: 0,
      assumed_requests: 1,
      assumed_cost_usd: 0.2,
    });
  });

  it('reprices exactly the entries of the window with --all', async () => {
    const caller = await reports.newCaller();
    const atMs = Date.now() - 90 * minuteMs;
    const outdated = { pricing: 'table', pricing_version: 'genai-prices 0.0.1', cost_usd: '0.1' } as const;
    const entries = [-1, 0, 1, 2].map((ms) =>
      unpricedEntry(caller, { ...outdated, id: createLogId(atMs + ms) }),
    );
    await reports.write(...entries);
    const window = [0, 2].map((ms) => new Date(atMs + ms).toISOString());
    const [from = '', to = ''] = window;

    const { stdout } = await gateway.run(
      ['costs', 'reprice', '--organization', caller.organizationId].concat(
        ['--all', '--from', from, '--to', to],
        '--json',
      ),
    );

    expect(JSON.parse(stdout)).toMatchObject({ read: 2, changed: 2, cost_difference_usd: -0.185 });
    expect(await rollUpAndGetCosts(caller)).toMatchObject({ total_requests: 4, total_cost_usd: 0.215 });
  });

  it('reprices the entries of all organizations without --organization', async () => {
    const callers = [await reports.newCaller(), await reports.newCaller()];
    await reports.write(...callers.map((caller) => unpricedEntry(caller)));

    const { stdout } = await gateway.run(['costs', 'reprice', '--json']);

    const organizations = JSON.parse(stdout).organizations as { organization_id: string; changed: number }[];
    for (const { organizationId } of callers) {
      expect(organizations.find(({ organization_id }) => organization_id === organizationId)?.changed).toBe(
        1,
      );
    }
  });

  /** Runs `costs reprice` for one organization and sends it the signal while it processes 400 entries. */
  async function interruptReprice(caller: Caller, signal: 'SIGKILL' | 'SIGTERM') {
    const id = (number: number) => createLogId(Date.now() - 120 * minuteMs + number);
    await reports.write(
      ...Array.from({ length: 400 }, (_, number) => unpricedEntry(caller, { id: id(number) })),
    );
    const hasStarted = async () =>
      (await stream.read()).some(
        ({ eventName, dynamodb }) =>
          eventName === 'MODIFY' && dynamodb.Keys?.organization_shard?.S === `${caller.organizationId}#0`,
      );
    const { child, result } = gateway.start(['costs', 'reprice', '--organization', caller.organizationId]);
    await vi.waitUntil(hasStarted, { timeout: 60_000, interval: 10 });
    child.kill(signal);
    await once(child, 'close');
    return result;
  }

  const killed = ['SIGKILL', 137, ''] as const;
  const stopped = ['SIGTERM', 130, 'run the same command again to continue'] as const;
  it.each(byTestForm({ short: [killed], long: [killed, stopped] }))(
    'continues after %s where it stopped',
    async (signal, exitCode, message) => {
      const caller = await reports.newCaller();

      const interrupted = await interruptReprice(caller, signal);
      const partial = await rollUpAndGetCosts(caller);
      const again = await gateway.run(['costs', 'reprice', '--organization', caller.organizationId]);

      expect(interrupted).toMatchObject({ exitCode, stdout: '' });
      expect(interrupted.stderr).toContain(message);
      expect(partial).not.toMatchObject({ total_cost_usd: 3 });
      expect(again.exitCode).toBe(0);
      expect(await rollUpAndGetCosts(caller)).toEqual({
        total_requests: 400,
        total_cost_usd: 3,
        unpriced_requests: 0,
        ...nothingAssumed,
      });
    },
  );

  it('reprices all organizations after a run for a single organization was stopped', async () => {
    const [first, second] = [await reports.newCaller(), await reports.newCaller()];
    await reports.write(unpricedEntry(first));
    await interruptReprice(second, 'SIGTERM');

    const { exitCode } = await gateway.run(['costs', 'reprice']);

    expect(exitCode).toBe(0);
    expect(await rollUpAndGetCosts(first)).toMatchObject({ total_requests: 1, unpriced_requests: 0 });
    expect(await rollUpAndGetCosts(second)).toMatchObject({ total_requests: 400, unpriced_requests: 0 });
  });

  it.each([
    [['--all'], '--all requires --from TIME, because it changes costs that reports have already shown'],
    [['--from', 'yesterday'], '--from must be an RFC 3339 timestamp, such as 2026-01-31T09:30:00Z'],
    [['--to', '2026-01-31'], '--to must be an RFC 3339 timestamp, such as 2026-01-31T09:30:00Z'],
    [['--from', '2026-02-01T00:00:00Z', '--to', '2026-01-31T00:00:00Z'], '--from must not be after --to'],
    [['--organization', ''], '--organization must not be empty: pass the id of an organization'],
    [['--everything'], "unknown option '--everything' (see --help)"],
  ])('rejects %j', async (options, message) => {
    const result = await gateway.run(['costs', 'reprice', ...options]);

    expect(result).toEqual({ exitCode: 2, stdout: '', stderr: `error: ${message}\n` });
  });

  it('fails with the id of an unknown organization', async () => {
    const result = await gateway.run(['costs', 'reprice', '--organization', 'org_unknown']);

    expect(result).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Organization org_unknown was not found'),
    });
  });
});
