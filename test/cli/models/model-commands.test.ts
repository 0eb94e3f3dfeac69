import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey } from '#lambdas/access/api-key.ts';
import { type AdminFixture, startAdminFixture } from '#test/support/admin-command.ts';

let gateway: AdminFixture;
let organizationId: string;
let keyId: string;
beforeAll(async () => {
  gateway = await startAdminFixture();
});
afterAll(() => gateway?.stop());
beforeEach(async () => {
  organizationId = await gateway.createOrganization();
  keyId = (await gateway.storeKey({ organization_id: organizationId })).id;
});

const ofOrganization = (...options: string[]) => [
  ...['org', 'models', '--organization', organizationId],
  ...options,
];
const ofKey = (...options: string[]) => [
  ...['key', 'models', '--organization', organizationId, '--key', keyId],
  ...options,
];

async function json(command: string[]) {
  const { exitCode, stdout, stderr } = await gateway.run([...command, '--json']);
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

/** As requests with the key find them. */
async function listsOf(hash: string) {
  const found = await gateway.directory.findApiKeyByHash(hash);
  return [found?.organization_models, found?.key_models];
}

const patterns = ['openai/*', 'route/*'];

describe('org models', () => {
  it('sets the list, shows it, and removes it', async () => {
    const list = (models: string[] | null) => ({ organization_id: organizationId, api_key_id: null, models });

    expect(await json(ofOrganization())).toEqual(list(null));
    expect(await json(ofOrganization('--models', ...patterns))).toEqual(list(patterns));
    expect(await json(ofOrganization())).toEqual(list(patterns));
    expect(await listsOf(hashApiKey(keyId))).toEqual([patterns, undefined]);
    expect(await json(ofOrganization('--all'))).toEqual(list(null));
    expect(await listsOf(hashApiKey(keyId))).toEqual([undefined, undefined]);
  });

  it('says in words what is allowed, and when a change takes effect', async () => {
    const text = async (...options: string[]) => (await gateway.run(ofOrganization(...options))).stdout;

    expect(await text()).toBe('All models are allowed.\n');
    expect(await text('--models', ...patterns)).toBe(
      'openai/*\nroute/*\n\nThe change takes effect within 20 seconds.\n',
    );
    expect(await text()).toBe('openai/*\nroute/*\n');
    expect(await text('--all')).toBe(
      'All models are allowed.\n\nThe change takes effect within 20 seconds.\n',
    );
  });
});

describe('key models', () => {
  it('sets the list of a key, and removes it', async () => {
    const list = (models: string[] | null) => ({
      organization_id: organizationId,
      api_key_id: keyId,
      models,
    });

    expect(await json(ofKey('--models', ...patterns))).toEqual(list(patterns));
    expect(await json(ofKey())).toEqual(list(patterns));
    expect(await listsOf(hashApiKey(keyId))).toEqual([undefined, patterns]);
    expect(await json(ofKey('--all'))).toEqual(list(null));
    expect(await listsOf(hashApiKey(keyId))).toEqual([undefined, undefined]);
  });

  it('sets that of the first key for one that has replaced it, with a note', async () => {
    const rotate = ['key', 'rotate', '--organization', organizationId, '--key', keyId, '--json'];
    const { id, key } = JSON.parse((await gateway.run(rotate)).stdout);
    const first = keyId;
    keyId = id;

    const { stdout, stderr } = await gateway.run(ofKey('--models', ...patterns, '--json'));

    expect(stderr).toBe(`note: ${id} has replaced ${first}, and shares its allowed models\n`);
    expect(JSON.parse(stdout)).toEqual({
      organization_id: organizationId,
      api_key_id: first,
      models: patterns,
    });
    expect(await listsOf(hashApiKey(key))).toEqual([undefined, patterns]);
  });

  it.each<[string[], string]>([
    [['--models', '*', '--all'], '--models and --all cannot be used together'],
    [
      ['--models', 'openai/*', 'gpt-5.6'],
      'models[1] must have the form <provider>/<model>, such as openai/*: got gpt-5.6',
    ],
    [['--models', ...Array.from({ length: 101 }, () => '*')], 'models must be a list of 1 to 100 patterns'],
  ])('refuses %j', async (options, message) => {
    expect(await gateway.run(ofKey(...options))).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `error: ${message}\n`,
    });
    expect(await listsOf(hashApiKey(keyId))).toEqual([undefined, undefined]);
  });

  it('refuses a revoked key, unless its list is shown or removed', async () => {
    await json(ofKey('--models', ...patterns));
    await gateway.directory.revokeApiKey(organizationId, keyId, gateway.audit);

    expect(await gateway.run(ofKey('--models', '*'))).toMatchObject({
      exitCode: 1,
      stderr: `error: Key ${keyId} is revoked: pass an active one, see "key list --organization ${organizationId}"\n`,
    });
    expect(await json(ofKey())).toMatchObject({ models: patterns });
    expect(await json(ofKey('--all'))).toMatchObject({ models: null });
  });
});

describe('key create', () => {
  const create = (...options: string[]) => [
    ...['key', 'create', '--organization', organizationId, '--name', 'new'],
    ...options,
  ];

  it('creates a key that may use only these models', async () => {
    const { key, models } = await json(create('--models', ...patterns));

    expect(models).toEqual(patterns);
    expect(await listsOf(hashApiKey(key))).toEqual([undefined, patterns]);
  });

  it('creates a key for all models by default', async () => {
    const created = await json(create());

    expect(created).not.toHaveProperty('models');
    expect(await listsOf(hashApiKey(created.key))).toEqual([undefined, undefined]);
  });

  it('refuses invalid patterns', async () => {
    expect(await gateway.run(create('--models', 'gpt-5.6'))).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'error: models[0] must have the form <provider>/<model>, such as openai/*: got gpt-5.6\n',
    });
  });
});
