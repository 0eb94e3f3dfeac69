import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type AdminFixture, startAdminFixture } from '#test/support/admin-command.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { streamRecord } from '#test/support/reports/fixture.ts';
import { rollupFunction } from '#test/support/reports/rollup-function.ts';

let gateway: AdminFixture;
let organizationId: string;
beforeAll(async () => {
  gateway = await startAdminFixture();
});
afterAll(() => gateway?.stop());
beforeEach(async () => {
  organizationId = await gateway.createOrganization();
});

const storeKey = (day: number, fields: Partial<ApiKey> = {}) =>
  gateway.storeKey({
    organization_id: organizationId,
    created_at: `2026-01-0${day}T00:00:00.000Z`,
    ...fields,
  });

const list = (...options: string[]) =>
  gateway.run(['key', 'list', '--organization', organizationId, ...options]);
const idsOf = (stdout: string) => JSON.parse(stdout).map(({ id }: ApiKey) => id);

describe('key list', () => {
  it('prints active keys, the newest first, or those that are revoked or expired', async () => {
    const [first, second] = [await storeKey(1), await storeKey(2)];
    const expired = await storeKey(3, { expires_at: '2026-01-04T00:00:00.000Z' });
    const { id: revokedId } = await storeKey(5);
    const revoked = await gateway.directory.revokeApiKey(organizationId, revokedId, gateway.audit);

    const active = await list('--json');
    const ended = await list('--state', 'ended', '--json');
    const lines = (await list('--state', 'ended')).stdout.split('\n');

    expect({ ...active, stdout: JSON.parse(active.stdout) }).toEqual({
      exitCode: 0,
      stdout: [second, first],
      stderr: '',
    });
    expect(JSON.parse(ended.stdout)).toEqual([revoked, expired]);
    expect(lines[0]).toMatch(/^KEY +NAME +ENDS IN +STATUS +CREATED +EXPIRES$/);
    expect(lines[1]).toMatch(/^key_\S+ +production +wXyZ +revoked \S+Z +2026-01-05T00:00:00.000Z +never$/);
    expect(lines[2]).toMatch(/ +wXyZ +expired +2026-01-03T00:00:00.000Z +2026-01-04T00:00:00.000Z$/);
  });

  it('finds keys by a part of the name, by the id and by the last four characters', async () => {
    const first = await storeKey(1, { name: 'Checkout service' });
    const second = await storeKey(2, { last_four: 'aB3d' });

    const found = [
      await list('--search', 'OUT SERVICE', '--json'),
      await list('--search', second.id, '--json'),
      await list('--search', 'aB3d', '--json'),
    ];

    expect(found.map(({ stdout }) => idsOf(stdout))).toEqual([[first.id], [second.id], [second.id]]);
    expect((await list('--search', 'nothing')).stdout).toBe('No active key matches the search.\n');
  });

  it('says how to continue when there are more keys', async () => {
    const keys = [await storeKey(1), await storeKey(2), await storeKey(3)].map(({ id }) => id);

    const page = await list('--limit', '2', '--json');
    const rest = await list('--limit', '2', '--before', keys[1] ?? '', '--json');

    expect(idsOf(page.stdout)).toEqual([keys[2], keys[1]]);
    expect(page.stderr).toBe(`note: there are older keys: continue with --before ${keys[1]}\n`);
    expect([idsOf(rest.stdout), rest.stderr]).toEqual([[keys[0]], '']);
  });

  it('prints the keys that spent most first, with their sums', async () => {
    const [cheap, dear] = [await storeKey(1), await storeKey(2)];
    await storeKey(3);
    const costRollups = {
      client: gateway.database.documentClient,
      tableName: gateway.tables.costRollups,
    };
    const nowMs = Date.now();
    const count = rollupFunction({ table: costRollups, now: () => new Date(nowMs) });
    const spending = [
      { api_key_id: cheap.id, cost_usd: '0.25' },
      { api_key_id: dear.id, cost_usd: '2' },
    ];
    const Records = spending.map((fields, index) => {
      const entry = logEntry({ id: createLogId(nowMs, 0), organization_id: organizationId, ...fields });
      return streamRecord(entry, index + 1);
    });
    await count({ shardId: 'shardId-1', Records });
    const month = new Date(nowMs);
    const since = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() - 1))
      .toISOString()
      .slice(0, 10);

    const { stdout, stderr } = await list('--order', 'spend', '--json');
    const text = (await list('--order', 'spend', '--limit', '1')).stdout.split('\n');

    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([
      { ...dear, spend_usd: '2', spend_since: since },
      { ...cheap, spend_usd: '0.25', spend_since: since },
    ]);
    expect(text[0]).toMatch(new RegExp(` EXPIRES +USD SINCE ${since}$`));
    expect(text[1]).toMatch(new RegExp(`^${dear.id} .* never +2$`));
  });

  it('explains how to create a key when there are none, and that those of a deleted organization are refused', async () => {
    const empty = await list();
    const { id } = await storeKey(1);
    await gateway.directory.deleteOrganization({
      organizationId,
      audit: gateway.audit,
      readMemberships: async () => [],
    });
    const deleted = await list('--json');

    expect(empty).toEqual({
      exitCode: 0,
      stdout: 'This organization has no active API keys: create one with "key create".\n',
      stderr: '',
    });
    expect(idsOf(deleted.stdout)).toEqual([id]);
    expect(deleted.stderr).toBe('note: the organization is deleted: all of its keys are refused\n');
  });

  it.each([
    [['--limit', '0'], '--limit must be a whole number from 1 to 1000'],
    [['--limit', '1001'], '--limit must be a whole number from 1 to 1000'],
    [['--search', ' '], '--search must not be blank'],
    [['--state', 'all'], '--state must be active or ended'],
    [['--order', 'name'], '--order must be created or spend'],
    [['--before', 'x'], '--before must be a key id, as shown by "key list"'],
    [
      ['--order', 'spend', '--before', 'key_0000000000000000'],
      '--before cannot be combined with --order spend',
    ],
  ])('refuses %j', async (options, message) => {
    const { exitCode, stdout, stderr } = await list(...options);

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});
