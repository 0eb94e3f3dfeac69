/** Runs each command, and reads its records in the audit trail. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey } from '#lambdas/access/api-key.ts';
import { newOrganizationId } from '#lambdas/access/id.ts';
import type { AuditRecord, AuditTarget } from '#lambdas/audit/record.ts';
import { type AdminFixture, startAdminFixture } from '#test/support/admin-command.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';
import { operatorArn } from '#test/support/aws/fake-sts.ts';

let gateway: AdminFixture;
let organizationId: string;
let keyId: string;
let file: string;

beforeAll(async () => {
  gateway = await startAdminFixture();
  file = join(gateway.dataDirectory, 'input');
});
afterAll(() => gateway?.stop());

beforeEach(async () => {
  organizationId = newOrganizationId();
  const created_at = '2026-01-01T00:00:00.000Z';
  const organization = { id: organizationId, name: 'Acme', created_at, log_shards: 1 };
  await gateway.directory.createOrganization(organization, gateway.audit);
  const apiKey = apiKeyRecord({ organization_id: organizationId });
  await gateway.directory.createApiKey(apiKey, hashApiKey(apiKey.id), gateway.audit);
  keyId = apiKey.id;
  gateway.secretsManager.value = '{}';
  const rows = [start, later].map((from) => ({
    model: 'openai/gpt-5',
    from,
    prices: { input: 1, output: 2 },
    unit: 'usd_per_million_tokens',
  }));
  await writeFile(file, JSON.stringify(rows));
  gateway.sts.requests.length = 0;
});

/** The standard input of all commands. */
const credential = 'sk-proj-0123456789-wXyZ';
const credentialSet = { credential_set: true, last_four: 'wXyZ' };

/** Runs a command with the ids of the test, and returns the object that it prints. */
async function run(commandLine: string) {
  const text = commandLine.replace('ORG', organizationId).replace('KEY', keyId).replace('FILE', file);
  const { exitCode, stdout, stderr } = await gateway.run([...text.split(' '), '--json'], credential);
  expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('error')]);
  return stdout.startsWith('{') ? JSON.parse(stdout) : null;
}

const byOperator = ({ actor }: AuditRecord) => actor.type === 'operator';

/** The records of the operator, oldest first. */
async function recorded(partition: string | null): Promise<AuditRecord[]> {
  return (await gateway.audit.records(partition)).filter(byOperator);
}

const operator = { type: 'operator', id: operatorArn, name: null, email: null };
const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

interface Change extends Pick<AuditRecord, 'action' | 'target'>, Partial<Pick<AuditRecord, 'stage'>> {
  before?: unknown;
  after?: unknown;
  operationId?: string | undefined;
}

/** Also requires that the values contain no other field. */
function expectRecord(record: AuditRecord | undefined, organization: string | null, change: Change) {
  expect(record).toEqual({
    id,
    at: time,
    actor: operator,
    organizationId: organization,
    stage: 'completed',
    operationId: record?.id,
    before: null,
    after: null,
    ...change,
  });
}

const onKey = () => ({ type: 'api_key', id: keyId, name: 'production' }) as const;
const onBudget = () => ({ type: 'budget', id: `${organizationId}/day`, name: null }) as const;
const onLimits = () => ({ type: 'rate_limits', id: keyId, name: 'production' }) as const;
const onRoute = { type: 'route', id: 'chat', name: 'chat' } as const;
const chatRoute = { strategy: 'order', targets: [{ model: 'openai/gpt-5' }] };
const onPrice = { type: 'price', id: 'openai/gpt-5', name: null } as const;
const budget = () => ({
  amount_usd: '9.5',
  hard: true,
  allow_unpriced: false,
  period: 'day',
  api_key_id: null,
});
const customPrice = (input: string, from: string) => ({
  from,
  tier: null,
  prices: { input, output: '10', cache_read: '0.0000001' },
});
const priceSet = (input: number, from: string) =>
  `price set openai/gpt-5 --input ${input} --output 10 --cached-input 0.0000001 --organization ORG --from ${from}`;
const [start, later] = ['2998-01-01T00:00:00.000Z', '2999-01-01T00:00:00.000Z'];

/** Commands that prepare, the command, and its record. */
const changes: [commands: [...string[], string], change: () => Change][] = [
  [
    ['org scale --organization ORG --log-shards 4'],
    () => ({
      action: 'organization.scaled',
      target: { type: 'organization', id: organizationId, name: 'Acme' },
      before: { log_shards: 1 },
      after: { log_shards: 4 },
    }),
  ],
  [
    ['key create --organization ORG --name build --expires-at 2999-01-01T00:00:00Z'],
    () => ({
      action: 'api_key.created',
      target: { type: 'api_key', id: expect.stringMatching(/^key_/), name: 'build' },
      after: { name: 'build', last_four: expect.stringMatching(/^\w{4}$/), expires_at: later },
    }),
  ],
  [
    ['key rotate --organization ORG --key KEY --overlap 1h'],
    () => ({
      action: 'api_key.rotated',
      target: onKey(),
      before: { replacement_id: null },
      after: { replacement_id: expect.stringMatching(/^key_/), ends_at: time },
    }),
  ],
  [
    ['key revoke --organization ORG --key KEY'],
    () => ({
      action: 'api_key.revoked',
      target: onKey(),
      before: { revoked_at: null },
      after: { revoked_at: time },
    }),
  ],
  [
    ['budget set --organization ORG --amount 9.5 --period day --hard'],
    () => ({ action: 'budget.set', target: onBudget(), after: budget() }),
  ],
  [
    [
      'budget set --organization ORG --amount 9.5 --period day --hard',
      'budget remove --organization ORG --period day',
    ],
    () => ({ action: 'budget.removed', target: onBudget(), before: budget() }),
  ],
  [
    ['limit set --organization ORG --key KEY --concurrent 5'],
    () => ({ action: 'rate_limits.set', target: onLimits(), after: { concurrent: 5 } }),
  ],
  [
    [
      'limit set --organization ORG --key KEY --concurrent 5 --requests-per-minute 60',
      'limit remove --organization ORG --key KEY --concurrent',
    ],
    () => ({
      action: 'rate_limits.set',
      target: onLimits(),
      before: { concurrent: 5, requests_per_minute: 60 },
      after: { requests_per_minute: 60 },
    }),
  ],
  [
    ['limit set --organization ORG --key KEY --concurrent 5', 'limit remove --organization ORG --key KEY'],
    () => ({ action: 'rate_limits.removed', target: onLimits(), before: { concurrent: 5 } }),
  ],
  [
    ['limit set --organization ORG --default new-keys --tokens-per-minute 1000'],
    () => ({
      action: 'rate_limits.defaults_set',
      target: { type: 'rate_limits', id: `${organizationId}/new_keys`, name: null },
      after: { tokens_per_minute: 1000 },
    }),
  ],
  [
    ['route set chat --organization ORG --target openai/gpt-5'],
    () => ({ action: 'route.set', target: onRoute, after: chatRoute }),
  ],
  [
    ['route set chat --organization ORG --target openai/gpt-5', 'route remove chat --organization ORG'],
    () => ({ action: 'route.removed', target: onRoute, before: chatRoute }),
  ],
  [
    ['org models --organization ORG --models openai/*'],
    () => ({
      action: 'organization.models_set',
      target: { type: 'organization', id: organizationId, name: 'Acme' },
      before: { models: null },
      after: { models: ['openai/*'] },
    }),
  ],
  [
    [
      'key models --organization ORG --key KEY --models openai/* route/*',
      'key models --organization ORG --key KEY --all',
    ],
    () => ({
      action: 'api_key.models_set',
      target: onKey(),
      before: { models: ['openai/*', 'route/*'] },
      after: { models: null },
    }),
  ],
  [
    ['org invite --organization ORG --email Jane@Example.com --role admin'],
    () => ({
      action: 'invitation.created',
      target: { type: 'invitation', id: expect.stringMatching(/^[0-9a-f]{16}$/), name: 'Jane@Example.com' },
      after: { email: 'Jane@Example.com', role: 'admin', expires_at: time },
    }),
  ],
  [
    [priceSet(2.5, start)],
    () => ({
      action: 'price.set',
      target: onPrice,
      after: { prices: [customPrice('2.5', start)] },
    }),
  ],
  [
    [priceSet(2.5, start), priceSet(3, later)],
    () => ({
      action: 'price.set',
      target: onPrice,
      before: { prices: [customPrice('2.5', start)] },
      after: { prices: [customPrice('3', later)] },
    }),
  ],
  [
    [
      priceSet(2.5, start),
      priceSet(3, later),
      'price remove openai/gpt-5 --organization ORG --from 2998-06-01T00:00:00Z',
    ],
    () => ({
      action: 'price.removed',
      target: onPrice,
      before: { prices: [customPrice('2.5', start), customPrice('3', later)] },
      after: { prices: [{ from: '2998-06-01T00:00:00.000Z', tier: null, prices: null }] },
    }),
  ],
];

describe('A change in one transaction', () => {
  it.each(changes)('is recorded for %j', async (commands, change) => {
    for (const command of commands) await run(command);

    const records = await recorded(organizationId);
    expect(records).toHaveLength(commands.length);
    expectRecord(records.at(-1), organizationId, change());
    // Once per command.
    expect(gateway.sts.requests.map(({ body }) => body)).toEqual(
      commands.map(() => 'Action=GetCallerIdentity&Version=2011-06-15'),
    );
  });

  it('is recorded for a new organization, in its own partition', async () => {
    const { id: newOrganizationId, name } = await run('org create --name Widgets');

    const records = await recorded(newOrganizationId);
    expect(records).toHaveLength(1);
    expectRecord(records[0], newOrganizationId, {
      action: 'organization.created',
      target: { type: 'organization', id: newOrganizationId, name },
      after: { name, log_shards: 1 },
    });
  });

  it('is recorded for a route of the operator, in the partition of the gateway', async () => {
    const before = (await recorded(null)).length;

    await run('route set chat --all --target openai/gpt-5');

    const records = (await recorded(null)).slice(before);
    expect(records).toHaveLength(1);
    expectRecord(records[0], null, { action: 'route.set', target: onRoute, after: chatRoute });
  });

  it('is not recorded when it changes nothing', async () => {
    const again = [
      'budget set --organization ORG --amount 1 --period month',
      'limit set --organization ORG --concurrent 5',
      'limit set --organization ORG --default new-keys --concurrent 5',
      'route set chat --organization ORG --target openai/gpt-5',
      'org models --organization ORG --models openai/*',
      'key models --organization ORG --key KEY --models openai/*',
      'key revoke --organization ORG --key KEY',
    ];
    const twice = again.flatMap((command) => [command, command]);
    for (const command of [...twice, 'org scale --organization ORG --log-shards 1']) await run(command);

    expect((await recorded(organizationId)).map(({ action }) => action)).toEqual([
      'budget.set',
      'rate_limits.set',
      'rate_limits.defaults_set',
      'route.set',
      'organization.models_set',
      'api_key.models_set',
      'api_key.revoked',
    ]);
  });
});

const all = (type: AuditTarget['type']): AuditTarget => ({ type, id: 'all', name: null });
const ofOrganization = (type: AuditTarget['type']) => ({ ...all(type), id: organizationId });
const window = '--from 2026-01-01T00:00:00Z --to 2026-02-01T00:00:00Z';
const [from, to] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];

interface Operation extends Pick<AuditRecord, 'action' | 'target'> {
  before?: unknown;
  /** In both records. */
  options: object;
  /** In the record of the end. */
  counts: object;
}

/** The records of an organization are in its partition. */
const operations: [command: string, operation: () => Operation][] = [
  [
    'provider set openai',
    () => ({
      action: 'provider_credential.set',
      target: { type: 'provider', id: 'openai', name: null },
      before: { credential_set: false, last_four: null },
      options: credentialSet,
      counts: {},
    }),
  ],
  [
    'price import FILE --organization ORG',
    () => ({
      action: 'price.imported',
      target: ofOrganization('price'),
      options: { file: 'input', models: 1 },
      counts: { set: 2, unchanged: 0 },
    }),
  ],
  [
    `logs export --organization ORG ${window} --format csv --output FILE.csv`,
    () => ({
      action: 'log_entries.exported',
      target: ofOrganization('log_entries'),
      options: { from, to, format: 'csv' },
      counts: { entries: 0 },
    }),
  ],
  [
    `costs reprice --organization ORG --all ${window}`,
    () => ({
      action: 'costs.repriced',
      target: ofOrganization('costs'),
      options: { entries: 'all', from, to },
      counts: { read: 0, changed: 0, cost_difference_usd: '0' },
    }),
  ],
  [
    'rollups rebuild',
    () => ({
      action: 'rollups.rebuilt',
      target: all('rollups'),
      options: {},
      counts: { organizations: 0, entries: 0 },
    }),
  ],
  [
    'rollups replay --discard',
    () => ({
      action: 'rollups.replayed',
      target: all('rollups'),
      options: { discard: true },
      counts: { added: 0, added_before: 0, counted_by_rebuild: 0, discarded: 0, remaining: 0 },
    }),
  ],
  [
    'logs recover --file -',
    () => ({
      action: 'log_entries.recovered',
      target: all('log_entries'),
      options: { from: null, to: null, queue: false },
      counts: { restored: 0, interrupted: 0, already_present: 0, unreadable: 0 },
    }),
  ],
];

describe('An operation', () => {
  it.each(operations)('is recorded before it begins and at its end: %s', async (command, operation) => {
    const { target, options, counts, ...event } = operation();
    const partition = target.id === organizationId ? organizationId : null;
    const before = (await recorded(partition)).length;

    await run(command);

    const records = (await recorded(partition)).slice(before);
    const [started, ended] = records;
    expect(records).toHaveLength(2);
    expectRecord(started, partition, { ...event, target, stage: 'started', after: options });
    expectRecord(ended, partition, {
      ...event,
      target,
      after: { ...options, ...counts },
      operationId: started?.id,
    });
    expect(gateway.sts.requests).toHaveLength(1);
  });

  it('is recorded as failed when it fails, with what it has done', async () => {
    const before = (await recorded(null)).length;

    const { exitCode } = await gateway.run(['logs', 'recover', '--file', `${file}.missing`]);

    const [started, ended, ...others] = (await recorded(null)).slice(before);
    expect([exitCode, started?.stage, ended?.stage, others]).toEqual([1, 'started', 'failed', []]);
    expect(ended).toMatchObject({ operationId: started?.id, after: { queue: false, restored: 0 } });
  });

  it.each([
    'costs reprice --organization ORG --dry-run',
    'logs recover --file - --dry-run',
    'org list',
    'key list --organization ORG',
    'budget list',
    'limit list',
    'route list',
    'org models --organization ORG',
    'key models --organization ORG --key KEY',
    'price list',
    'provider list',
    'rollups verify --organization ORG',
    'audit list',
  ])('is not recorded if it only reads: %s', async (command) => {
    const before = [await recorded(null), await recorded(organizationId)];

    await run(command);

    expect([await recorded(null), await recorded(organizationId)]).toEqual(before);
    expect(gateway.sts.requests).toEqual([]);
  });
});

it('contains no key, no link of an invitation and no credential', async () => {
  const { key } = await run('key create --organization ORG --name build');
  const { key: rotated } = await run('key rotate --organization ORG --key KEY');
  const { url } = await run('org invite --organization ORG --email jane@example.com');
  await run('provider set openai');

  const { Items } = await gateway.database.documentClient.send(
    new ScanCommand({ TableName: gateway.tables.auditTrail }),
  );
  const text = JSON.stringify(Items);
  const token = url.slice(url.lastIndexOf('/') + 1);
  const secrets = [key, rotated, token].flatMap((secret) => [secret, hashApiKey(secret)]);
  expect([...secrets, credential, 'sk-proj'].filter((secret) => text.includes(secret))).toEqual([]);
  expect(Items?.length).toBeGreaterThan(50);
});
