import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEvent } from '#lambdas/audit/record.ts';
import { type AdminFixture, startAdminFixture } from '#test/support/admin-command.ts';
import { createTestAuditTrail, type TestAuditTrail } from '#test/support/audit/test-audit-trail.ts';
import { operatorArn } from '#test/support/aws/fake-sts.ts';

let gateway: AdminFixture;
let audit: TestAuditTrail;

const operator = { type: 'operator', id: operatorArn, name: null, email: null } as const;

beforeAll(async () => {
  gateway = await startAdminFixture();
  let seconds = 0;
  audit = createTestAuditTrail(gateway.database, gateway.tables, () => {
    seconds += 1;
    return new Date(Date.UTC(2026, 0, 31, 9, 0, seconds));
  });
  const created_at = '2026-01-01T00:00:00.000Z';
  for (const id of ['org_a', 'org_b']) {
    await gateway.directory.createOrganization({ id, name: `Acme ${id}`, created_at, log_shards: 1 }, audit);
  }
  const import_ = event('price.imported', null, { type: 'price', id: 'all', name: null });
  const operation = await audit.as(operator).start({ ...import_, after: { file: 'prices.json' } });
  await record({
    ...event('member.role_changed', 'org_a', { type: 'member', id: 'user-2', name: 'Mallory\u001b[2J' }),
    before: { role: 'viewer' },
    after: { role: 'admin' },
  });
  await record({
    ...event('budget.set', 'org_b', { type: 'budget', id: 'org_b/day', name: null }),
    before: { hard: true, amount_usd: '9.5' },
    after: { hard: true, amount_usd: '12' },
  });
  await record({
    ...event('invitation.revoked', 'org_b', { type: 'invitation', id: 'f00d', name: 'joe@example.com' }),
    before: { email: 'joe@example.com', role: 'viewer' },
  });
  await operation.fail({ file: 'prices.json', set: 12, reasons: ['x'.repeat(200)], stopped: true });
});
afterAll(() => gateway?.stop());

function event(
  action: AuditEvent['action'],
  organizationId: string | null,
  target: AuditEvent['target'],
): AuditEvent {
  return { action, organizationId, target, before: null, after: null };
}

const record = (recorded: AuditEvent) => audit.transact({ event: recorded, items: [] });
const list = (...options: string[]) => gateway.run(['audit', 'list', ...options]);

async function listed(...options: string[]) {
  const { stdout, stderr } = await list(...options, '--json');
  return { records: JSON.parse(stdout), stderr };
}

describe('audit list', () => {
  it('prints the records of all organizations and of the gateway together, newest first', async () => {
    const { exitCode, stdout, stderr } = await list();

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.split('\n').map((line) => line.split(/ {3,}/))).toEqual([
      ['TIME', 'WHO', 'ORGANIZATION', 'ACTION', 'TARGET', 'CHANGE', 'STAGE'],
      [
        ...['2026-01-31T09:00:07.000Z', 'assumed-role/Operator/jane', '-', 'price.imported', 'all'],
        ...[`file: prices.json, reasons: ["${'x'.repeat(89)}…`, 'failed'],
      ],
      [
        ...['2026-01-31T09:00:06.000Z', 'Ada Lovelace, ada@example.com', 'org_b', 'invitation.revoked'],
        ...['joe@example.com (f00d)', 'email: joe@example.com → -, role: viewer → -', 'completed'],
      ],
      [
        ...['2026-01-31T09:00:05.000Z', 'Ada Lovelace, ada@example.com', 'org_b', 'budget.set'],
        ...['org_b/day', 'amount_usd: 9.5 → 12', 'completed'],
      ],
      [
        ...['2026-01-31T09:00:04.000Z', 'Ada Lovelace, ada@example.com', 'org_a', 'member.role_changed'],
        ...['Mallory\\u001b[2J (user-2)', 'role: viewer → admin', 'completed'],
      ],
      [
        ...['2026-01-31T09:00:03.000Z', 'assumed-role/Operator/jane', '-', 'price.imported', 'all'],
        ...['file: prices.json', 'started'],
      ],
      ...['b', 'a'].map((name, index) => [
        ...[`2026-01-31T09:00:0${2 - index}.000Z`, 'Ada Lovelace, ada@example.com', `org_${name}`],
        ...['organization.created', `Acme org_${name} (org_${name})`],
        ...[`log_shards: 1, name: Acme org_${name}`, 'completed'],
      ]),
      [''],
    ]);
  });

  it('prints the fields of the API and the organization as JSON', async () => {
    const { records } = await listed('--organization', 'org_a');

    const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(records).toHaveLength(2);
    expect(records[0]).toEqual({
      id,
      at: '2026-01-31T09:00:04.000Z',
      organization_id: 'org_a',
      actor: { type: 'user', id: 'user-1', name: 'Ada Lovelace', email: 'ada@example.com' },
      action: 'member.role_changed',
      target: { type: 'member', id: 'user-2', name: 'Mallory\u001b[2J' },
      before: { role: 'viewer' },
      after: { role: 'admin' },
      stage: 'completed',
      operation_id: records[0].id,
    });
  });

  it('continues where the last page ended', async () => {
    const all = (await listed()).records;
    const first = await listed('--limit', '4');
    const lastId = first.records.at(-1).id;
    const second = await listed('--limit', '4', '--before', lastId.toUpperCase());

    expect([...first.records, ...second.records]).toEqual(all);
    expect(first.stderr).toBe(`note: there are older records: continue with --before ${lastId}\n`);
    expect(second.stderr).toBe('');
  });

  it('merges more records than one query returns', async () => {
    const organization = { type: 'organization', id: 'org_a', name: null } as const;
    const changes = Array.from({ length: 65 }, (_, index) => ({
      event: event('organization.renamed', index % 2 === 0 ? 'org_a' : null, organization),
      items: [],
    }));
    for (let count = 0; count < 4; count += 1) await audit.transact(...changes);
    const ids = async (...options: string[]) =>
      (await listed(...options)).records.map(({ id }: { id: string }) => id);

    const all = await ids('--limit', '1000');
    const ofOne = await ids('--limit', '1000', '--organization', 'org_a');
    expect([all.length, new Set(all).size, ofOne.length]).toEqual([267, 267, 134]);
    expect(all).toEqual(all.toSorted().reverse());
    expect(await ids('--limit', '120')).toEqual(all.slice(0, 120));
  });

  it('says that there are no records', async () => {
    expect((await list('--before', '00000000-0000-7000-8000-000000000000')).stdout).toBe(
      'There are no such audit records.\n',
    );
  });

  it.each([
    [['--limit', '1001'], 2, '--limit must be a whole number from 1 to 1000'],
    [['--before', 'yesterday'], 2, '--before must be the id of an audit record, as of "audit list --json"'],
    [['--organization', 'org_none'], 1, 'Organization org_none was not found: see "org list"'],
  ])('rejects %j', async (options, exitCode, message) => {
    expect(await list(...options)).toEqual({ exitCode, stdout: '', stderr: `error: ${message}\n` });
  });
});
