import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findRoutes } from '#lambdas/routing/store.ts';
import { type AdminFixture, startAdminFixture } from '#test/support/admin-command.ts';

let gateway: AdminFixture;
let organizationId: string;
beforeAll(async () => {
  gateway = await startAdminFixture();
});
afterAll(() => gateway?.stop());
beforeEach(async () => {
  organizationId = await gateway.createOrganization();
});

const route = (...options: string[]) => gateway.run(['route', ...options]);
const own = () => ['--organization', organizationId];
const targets = ['--target', 'anthropic/claude-5', 'openai/gpt-5.6'];

async function json(...options: string[]) {
  const { exitCode, stdout, stderr } = await route(...options, '--json');
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

async function routesOf(owner: string | null) {
  const table = { client: gateway.database.documentClient, tableName: gateway.tables.directory };
  return (await findRoutes(table, owner)).routes;
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const summary = (name: string, fields: object = {}) => ({
  name,
  organization_id: organizationId,
  overridden: false,
  strategy: 'order',
  targets: [{ model: 'anthropic/claude-5' }, { model: 'openai/gpt-5.6' }],
  attempts: 3,
  changed_at: time,
  ...fields,
});

describe('route set', () => {
  it('sets a route of the organization, and replaces it', async () => {
    expect(await json('set', 'chat', ...own(), ...targets, '--attempts', '2')).toEqual(
      summary('chat', { attempts: 2 }),
    );
    expect(await json('set', 'chat', ...own(), '--target', 'openai/gpt-5.6', '--strategy', 'price')).toEqual(
      summary('chat', { strategy: 'price', targets: [{ model: 'openai/gpt-5.6' }] }),
    );

    expect(await routesOf(organizationId)).toEqual({
      chat: { strategy: 'price', targets: [{ model: 'openai/gpt-5.6' }], changed_at: time },
    });
  });

  it('sets a route of the operator for all organizations', async () => {
    expect(await json('set', 'all-chat', '--all', ...targets)).toEqual(
      summary('all-chat', { organization_id: null }),
    );

    expect(await routesOf(null)).toHaveProperty('all-chat');
    expect(await routesOf(organizationId)).toEqual({});
  });

  it('reads targets in JSON, shows them, and says when the route takes effect', async () => {
    const stable = { model: 'openai/gpt-5.5', weight: 95.5, first_event_seconds: 2.5 };
    const canary = { model: 'openai/gpt-5.6', weight: 4.5, parameters: { temperature: 0, seed: null } };
    const options = ['--strategy', 'weight', '--target', JSON.stringify(stable), '--target'];

    const { exitCode, stdout, stderr } = await route(
      'set',
      'canary',
      ...own(),
      ...options,
      JSON.stringify(canary),
    );

    expect([exitCode, stderr]).toEqual([0, '']);
    const [headings, cells, ...others] = stdout.split('\n');
    expect(headings).toMatch(/^ROUTE +OWNER +STRATEGY +ATTEMPTS +TARGETS +CHANGED$/);
    expect(cells?.split(/ {3,}/)).toEqual([
      'route/canary',
      organizationId,
      'weight',
      '3',
      'openai/gpt-5.5 (weight 95.5, first event 2.5 s), openai/gpt-5.6 (weight 4.5, {"temperature":0,"seed":null})',
      time,
    ]);
    expect(others).toEqual(['', 'The change takes effect within 20 seconds.', '']);
    expect(await routesOf(organizationId)).toMatchObject({ canary: { targets: [stable, canary] } });
  });

  it.each<[string[], string]>([
    [['chat', ...targets], 'Pass either --organization or --all'],
    [['chat', ...targets, '--all', '--organization', 'org_1'], 'Pass either --organization or --all'],
    [['chat', '--all'], "required option '--target <target...>' not specified (see --help)"],
    [['chat', '--all', ...targets, '--strategy', 'random'], '--strategy must be order, weight, price'],
    [['chat', '--all', ...targets, '--attempts', '11'], '--attempts must be a whole number from 1 to 10'],
    [
      ['Chat', '--all', ...targets],
      'name must have 1 to 64 characters: a to z, 0 to 9, and, but not first, dots, hyphens and underscores',
    ],
    [
      ['chat', '--all', '--target', 'gpt-5.6'],
      'targets[0].model must have the form <provider>/<model>, with at most 256 characters',
    ],
    [['chat', '--all', '--target', '{"model"'], 'targets[0] must be a JSON object'],
    [
      ['chat', '--all', '--target', '{"model":"openai/a","weight":1}'],
      'targets[0].weight has a meaning only with the strategy weight: leave it out',
    ],
  ])('refuses %j', async (options, message) => {
    const before = await routesOf(null);

    expect(await route('set', ...options)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `error: ${message}\n`,
    });
    expect(await routesOf(null)).toEqual(before);
  });

  it('refuses an unknown organization, and a deleted one', async () => {
    const unknown = await route('set', 'chat', '--organization', 'org_unknown', ...targets);
    const { audit } = gateway;
    await gateway.directory.deleteOrganization({ organizationId, audit, readMemberships: async () => [] });
    const deleted = await route('set', 'chat', ...own(), ...targets);

    expect([unknown.exitCode, unknown.stderr, deleted.exitCode, deleted.stderr]).toEqual([
      1,
      'error: Organization org_unknown was not found: see "org list"\n',
      1,
      `error: Organization ${organizationId} is deleted and can no longer be changed\n`,
    ]);
  });
});

describe('route remove', () => {
  it('removes the route of the owner', async () => {
    await json('set', 'removed', ...own(), ...targets);
    await json('set', 'removed', '--all', ...targets);

    expect(await json('remove', 'removed', ...own())).toEqual(summary('removed'));
    expect(await routesOf(organizationId)).toEqual({});
    expect(await routesOf(null)).toHaveProperty('removed');
    expect((await route('remove', 'removed', '--all')).stdout).toMatch(
      /^Removed:\n\nROUTE.*\nroute\/removed +operator .*\n\nThe change takes effect within 20 seconds\.\n$/,
    );
    expect(await routesOf(null)).not.toHaveProperty('removed');
  });

  it('fails without such a route, or without an owner', async () => {
    expect(await route('remove', 'missing', ...own())).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'error: There is no such route\n',
    });
    expect(await route('remove', 'missing')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'error: Pass either --organization or --all\n',
    });
  });
});

describe('route list', () => {
  it("lists the operator's routes first, then those of the organization, each by name", async () => {
    for (const name of ['shared', 'listed']) await json('set', name, '--all', ...targets);
    for (const name of ['own', 'listed']) await json('set', name, ...own(), ...targets);

    const listed = await json('list', ...own());

    const names = ['listed', 'shared', 'own'];
    expect(listed.filter(({ name }: { name: string }) => names.includes(name))).toEqual([
      summary('listed', { organization_id: null, overridden: true }),
      summary('shared', { organization_id: null }),
      summary('listed'),
      summary('own'),
    ]);
    const { stdout } = await route('list', ...own());
    expect(stdout).toMatch(/\nroute\/listed +operator \(replaced\) /);
  });

  it('lists those of all organizations that are not deleted', async () => {
    const deleted = organizationId;
    await json('set', 'chat', ...own(), ...targets);
    const { audit } = gateway;
    await gateway.directory.deleteOrganization({
      organizationId: deleted,
      audit,
      readMemberships: async () => [],
    });
    organizationId = await gateway.createOrganization();
    await json('set', 'chat', ...own(), ...targets);

    const listed = await json('list');

    expect(listed).toContainEqual(summary('chat'));
    expect(listed).not.toContainEqual(summary('chat', { organization_id: deleted }));
    expect(await json('list', '--organization', deleted)).toContainEqual(
      summary('chat', { organization_id: deleted }),
    );
  });

  it('says how to set a route when there are none', async () => {
    for (const name of Object.keys(await routesOf(null))) await json('remove', name, '--all');

    expect((await route('list', ...own())).stdout).toBe(
      'There are no routes: set one with "route set NAME --all --target PROVIDER/MODEL".\n',
    );
  });
});

describe('route test', () => {
  it('says which target would serve a request, and why others would not', async () => {
    await gateway.run(['provider', 'set', 'openai'], 'sk-upstream');
    await json(
      'set',
      'chat',
      ...own(),
      '--target',
      'xai/grok-4',
      'nobody/x',
      'openai/gpt-4o',
      'openai/gpt-4o-mini',
    );

    expect(await json('test', 'chat', ...own())).toEqual({
      target: 'openai/gpt-4o',
      targets: [
        tested('xai/grok-4', { reason: 'not_configured', cost_usd: expect.any(Number) }),
        tested('nobody/x', { reason: 'unknown_model' }),
        tested('openai/gpt-4o', { decision: 'first', cost_usd: 0.010005 }),
        tested('openai/gpt-4o-mini', { decision: 'next', cost_usd: 0.0006003 }),
      ],
    });
    const { stdout } = await route('test', 'chat', ...own());
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'openai/gpt-4o would serve the request.',
      '',
      expect.stringMatching(/^TARGET +DECISION +REASON +SHARE +ABOUT USD$/),
    ]);
  });

  it.each([
    [['missing'], 'There is no route missing: "route list" shows the routes'],
    [
      ['chat', '--request', 'no-such-file'],
      'no-such-file cannot be read: pass the file with the body of a request',
    ],
    [
      ['chat', '--operation', 'images'],
      '--operation must be one of chat.completions, embeddings, messages, responses',
    ],
  ])('refuses %j', async (options, message) => {
    await json('set', 'chat', ...own(), ...targets);
    const { exitCode, stderr } = await route('test', ...options, ...own());
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

function tested(model: string, fields: object) {
  return { model, decision: 'skipped', reason: null, param: null, share: null, cost_usd: null, ...fields };
}
