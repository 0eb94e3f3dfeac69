import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey } from '#lambdas/access/api-key.ts';
import { storeBudgetRef } from '#lambdas/access/budget-refs.ts';
import { newOrganizationId } from '#lambdas/access/id.ts';
import { setBudget } from '#lambdas/limits/budgets/budgets.ts';
import { findBudgetRecord } from '#lambdas/limits/budgets/store.ts';
import { type AdminFixture, startAdminFixture } from '#test/support/admin-command.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';

let gateway: AdminFixture;

beforeAll(async () => {
  gateway = await startAdminFixture();
});

afterAll(async () => {
  await gateway?.stop();
});

describe('org', () => {
  it('list explains how to create an organization when there are none', async () => {
    const { exitCode, stdout } = await gateway.run(['org', 'list']);

    expect(exitCode).toBe(0);
    expect(stdout).toBe('There are no organizations yet: create one with "org create --name NAME".\n');
    expect((await gateway.run(['org', 'list', '--json'])).stdout).toBe('[]\n');
  });

  it('create stores an organization and prints only its JSON', async () => {
    const { exitCode, stdout, stderr } = await gateway.run([
      'org',
      'create',
      '--name',
      ' Acme Ltd ',
      '--json',
    ]);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const organization = JSON.parse(stdout);
    expect(organization).toEqual({
      id: expect.stringMatching(/^org_[0-9A-Za-z]{16}$/),
      name: 'Acme Ltd',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      log_shards: 1,
      deleted_at: null,
    });
    const { deleted_at: _, ...stored } = organization;
    expect(await gateway.directory.findOrganization(organization.id)).toEqual(stored);
  });

  it('list prints a line for each organization, oldest first', async () => {
    const first = { id: 'org_2', name: 'First', created_at: '2026-01-01T00:00:00.000Z', log_shards: 1 };
    const second = {
      id: 'org_1',
      name: 'The second one',
      created_at: '2026-01-02T00:00:00.000Z',
      log_shards: 4,
    };
    await gateway.directory.createOrganization(second, gateway.audit);
    await gateway.directory.createOrganization(first, gateway.audit);

    const lines = (await gateway.run(['org', 'list'])).stdout.split('\n');
    const listed = JSON.parse((await gateway.run(['--json', 'org', 'list'])).stdout);

    expect(lines[0]).toMatch(/^ORGANIZATION +NAME +LOG SHARDS +CREATED +STATUS$/);
    expect(lines[1]).toMatch(/^org_2 +First +1 +2026-01-01T00:00:00.000Z +active$/);
    expect(lines[2]).toMatch(/^org_1 +The second one +4 +2026-01-02T00:00:00.000Z +active$/);
    expect(listed.slice(0, 2)).toEqual([first, second].map((each) => ({ ...each, deleted_at: null })));
  });

  it.each([
    [['org', 'create'], "required option '--name <name>' not specified"],
    [['org', 'create', 'Acme'], "required option '--name <name>' not specified"],
    [
      ['org', 'create', '--name', 'Acme', 'Acme'],
      "too many arguments for 'create'. This command takes options only, such as --organization <id>",
    ],
    [['org', 'scale', '--log-shards', '4'], "required option '--organization <id>' not specified"],
  ])('rejects %j', async (commandLine, message) => {
    const result = await gateway.run(commandLine);

    expect(result).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `error: ${message} (see --help)\n`,
    });
  });

  it('create rejects a name with control characters', async () => {
    const { exitCode, stderr } = await gateway.run(['org', 'create', '--name', 'bell\u0007']);

    expect(exitCode).toBe(2);
    expect(stderr).toBe('error: --name must be 1 to 100 printable characters\n');
  });

  it('scale raises the shard count of an organization and its keys and never lowers it', async () => {
    const id = newOrganizationId();
    const organization = { id, name: 'Large', created_at: '2026-01-01T00:00:00.000Z', log_shards: 1 };
    const apiKey = apiKeyRecord({ organization_id: id });
    await gateway.directory.createOrganization(organization, gateway.audit);
    await gateway.directory.createApiKey(apiKey, hashApiKey(apiKey.id), gateway.audit);

    const raised = await gateway.run(['org', 'scale', '--organization', id, '--log-shards', '16', '--json']);
    const lowered = await gateway.run(['org', 'scale', '--organization', id, '--log-shards', '2', '--json']);

    const scaled = { ...organization, log_shards: 16, deleted_at: null, key_shown: true };
    expect(raised).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(raised.stdout)).toEqual(scaled);
    expect({ ...lowered, stdout: JSON.parse(lowered.stdout) }).toEqual({
      exitCode: 0,
      stdout: scaled,
      stderr: `note: ${id} keeps its 16 shards: the number cannot be reduced, because all of them contain entries\n`,
    });
    expect(await gateway.directory.logShardsOf(id)).toBe(16);
    expect((await gateway.directory.findApiKeyByHash(hashApiKey(apiKey.id)))?.log_shards).toBe(16);
  });

  it('scale requests the division of the counter of its budgets, also when an interrupted command is repeated', async () => {
    const directoryTable = { client: gateway.database.documentClient, tableName: gateway.tables.directory };
    const organizationId = newOrganizationId();
    const created_at = '2026-01-01T00:00:00.000Z';
    await gateway.directory.createOrganization(
      {
        id: organizationId,
        name: 'Large',
        created_at,
        log_shards: 4,
      },
      gateway.audit,
    );
    const scope = { organizationId, keyId: null };
    const tables = {
      directoryTable: { ...directoryTable, now: () => new Date() },
      budgetCounters: { ...directoryTable, tableName: gateway.tables.budgetCounters },
    };
    const budget = { amountUsd: '1', hard: true, allowsUnpriced: false };
    await setBudget(tables, scope, 'day', budget, gateway.audit);
    await storeBudgetRef(directoryTable, scope, { id: 'counter', shards: 1, allows_unpriced: false });
    const scale = async (logShards: string) => {
      const { stdout } = await gateway.run([
        ...['org', 'scale', '--organization', organizationId, '--log-shards', logShards, '--json'],
      ]);
      const { revision, needsRecount } = (await findBudgetRecord(directoryTable, scope)) ?? {};
      return { organization: JSON.parse(stdout), revision, needsRecount };
    };
    const organization = {
      id: organizationId,
      name: 'Large',
      created_at,
      log_shards: 16,
      deleted_at: null,
    };

    expect(await scale('16')).toEqual({ organization, revision: 2, needsRecount: false });
    expect(await scale('16')).toEqual({ organization, revision: 3, needsRecount: false });
    expect(await scale('2')).toEqual({ organization, revision: 3, needsRecount: false });
    const listed: unknown[] = JSON.parse((await gateway.run(['org', 'list', '--json'])).stdout);
    expect(listed).toContainEqual(organization);
  });

  it.each(['0', '257', '-1', '1.5', 'many'])('scale rejects %s shards', async (count) => {
    const { exitCode, stderr } = await gateway.run([
      'org',
      'scale',
      '--organization',
      'org_1',
      '--log-shards',
      count,
    ]);

    expect(exitCode).toBe(2);
    expect(stderr).toBe('error: --log-shards must be a whole number from 1 to 256\n');
  });

  it('scale fails with the id of an unknown organization', async () => {
    const result = await gateway.run(['org', 'scale', '--organization', 'org_unknown', '--log-shards', '2']);

    expect(result).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'error: Organization org_unknown was not found: see "org list"\n',
    });
  });
});
