import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey } from '#lambdas/access/api-key.ts';
import type {
  ApiKeyDetails,
  ApiKeyList,
  NewApiKey,
  OrganizationDetails,
  RotatedApiKey,
  RouteSummary,
} from '#lambdas/accounts/organizations/responses.ts';
import { findRoutes } from '#lambdas/routing/store.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
  type TestUser,
} from '#test/support/accounts/organizations-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';

let database: EmbeddedDynamoDB;
let fixture: OrganizationsFixture;
let admin: TestUser;
let member: TestUser;
let acme: OrganizationDetails;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await startOrganizationsFixture(database);
  admin = await fixture.signIn('Grace');
  member = await fixture.signIn('Mary');
});
afterAll(() => database.stop());
beforeEach(async () => {
  acme = await fixture.createOrganization(await fixture.signIn('Ada'));
  await fixture.join(acme.id, admin, 'admin');
  await fixture.join(acme.id, member, 'member');
  fixture.clock.nowMs += 1;
});

const call = (method: string, path: string, body?: unknown, user = admin) => {
  // Audit records of the same millisecond are in no order.
  fixture.clock.nowMs += 1;
  return fixture.call(user, method, `/organizations/${acme.id}${path}`, body);
};

async function succeed<Body>(method: string, path: string, body?: unknown, user = admin): Promise<Body> {
  const response = await call(method, path, body, user);
  expect([response.status, response.body]).toEqual([200, expect.anything()]);
  return response.body as Body;
}

const lastRecord = async () => (await fixture.auditRecords(acme.id)).at(-1);

function refusal(status: number, code: string, message: string, param: string | null = null) {
  return { status, body: { error: { message, type: 'invalid_request_error', param, code } } };
}

const denied = refusal(
  403,
  'forbidden',
  'Your role in this organization does not include the permission manage_routing: ask an owner',
);

async function routesOf(owner: string) {
  return (await findRoutes(fixture.dependencies.directoryTable, owner)).routes;
}

describe('Setting a route', () => {
  const route = {
    strategy: 'weight',
    targets: [
      { model: 'openai/gpt-5.6', weight: 0.5, parameters: { seed: 1, temperature: 0 } },
      { model: 'anthropic/claude-5', first_event_seconds: 2.5 },
    ],
  };

  it('stores it, and records the change', async () => {
    const summary = await succeed<RouteSummary>('PUT', '/routes/gpt-5.6', route);

    const changed_at = new Date(fixture.clock.nowMs).toISOString();
    expect(summary).toEqual({
      name: 'gpt-5.6',
      owner: 'organization',
      overridden: false,
      ...route,
      attempts: 3,
      changed_at,
    });
    expect(await routesOf(acme.id)).toEqual({ 'gpt-5.6': { ...route, changed_at } });
    expect(await lastRecord()).toMatchObject({
      action: 'route.set',
      actor: { id: admin.id },
      target: { type: 'route', id: 'gpt-5.6' },
      before: null,
    });
  });

  it('accepts the largest route', async () => {
    const targets = Array.from({ length: 10 }, (_, index) => ({
      model: `openai/${index}`,
      parameters: { user: 'a'.repeat(2000) },
    }));

    const { targets: stored } = await succeed<RouteSummary>('PUT', '/routes/large', {
      strategy: 'order',
      targets,
    });

    expect(stored).toEqual(targets);
  });

  it.each<[string, unknown, ReturnType<typeof refusal>]>([
    [
      '/routes/fast',
      { strategy: 'order', targets: [{ model: 'openai/a' }, { model: 'openai/b', weight: 2 }] },
      refusal(
        400,
        'invalid_request_error',
        'targets[1].weight has a meaning only with the strategy weight: leave it out',
        'targets[1].weight',
      ),
    ],
    [
      '/routes/Fast',
      route,
      refusal(
        400,
        'invalid_request_error',
        'name must have 1 to 64 characters: a to z, 0 to 9, and, but not first, dots, hyphens and underscores',
        'name',
      ),
    ],
    [
      '/routes/fast',
      { ...route, comment: 'a'.repeat(65_536) },
      refusal(413, 'request_too_large', 'The request body must have at most 65536 bytes', 'body'),
    ],
    ['/routes/.fast', route, refusal(404, 'not_found', 'There is no such path')],
  ])('refuses a bad one at %s', async (path, body, expected) => {
    expect(await call('PUT', path, body)).toMatchObject(expected);
    expect(await routesOf(acme.id)).toEqual({});
  });

  it('is denied to members, like removing one', async () => {
    await succeed('PUT', '/routes/fast', route);

    expect(await call('PUT', '/routes/other', route, member)).toMatchObject(denied);
    expect(await call('DELETE', '/routes/fast', undefined, member)).toMatchObject(denied);
    expect(Object.keys(await routesOf(acme.id))).toEqual(['fast']);
  });

  it('can be undone', async () => {
    await succeed('PUT', '/routes/fast', route);

    expect(await call('DELETE', '/routes/fast')).toMatchObject({ status: 204, body: null });

    expect(await routesOf(acme.id)).toEqual({});
    expect(await lastRecord()).toMatchObject({ action: 'route.removed', after: null });
    expect(await call('DELETE', '/routes/fast')).toMatchObject(
      refusal(404, 'not_found', 'There is no such route'),
    );
  });
});

describe('The models that may be used', () => {
  const newKey = { name: 'CI', expires_at: null, budget: null };
  const createKey = (fields: object = {}, user = admin) =>
    succeed<NewApiKey>('POST', '/keys', { ...newKey, ...fields }, user);
  const setModels = (api_key_id: string | null, models: string[] | null) =>
    succeed('PUT', '/model-access', { api_key_id, models });
  const organization = () => succeed<OrganizationDetails>('GET', '');
  const details = (id: string) => succeed<ApiKeyDetails>('GET', `/keys/${id}`);
  const requestKeyOf = (key: string) => fixture.dependencies.directory.findApiKeyByHash(hashApiKey(key));
  const patterns = ['openai/*', 'route/*'];

  it('are those of the list of the organization', async () => {
    const { key } = await createKey();
    expect((await organization()).models).toBeNull();

    expect(await setModels(null, patterns)).toEqual({ api_key_id: null, models: patterns });

    expect((await organization()).models).toEqual(patterns);
    expect(await requestKeyOf(key)).toMatchObject({ organization_models: patterns });
    expect(await lastRecord()).toMatchObject({
      action: 'organization.models_set',
      actor: { id: admin.id },
      before: { models: null },
      after: { models: patterns },
    });
    expect(await setModels(null, null)).toEqual({ api_key_id: null, models: null });
    expect((await organization()).models).toBeNull();
  });

  it('are those of the list of a key, also in lists of keys', async () => {
    const { api_key, key } = await createKey();
    const { api_key: other } = await createKey();
    expect(api_key.models).toBeNull();

    expect(await setModels(api_key.id, patterns)).toEqual({ api_key_id: api_key.id, models: patterns });

    expect((await details(api_key.id)).models).toEqual(patterns);
    const { data } = await succeed<ApiKeyList>('GET', '/keys');
    expect(data.map(({ id, models }) => [id, models])).toEqual([
      [other.id, null],
      [api_key.id, patterns],
    ]);
    expect(await requestKeyOf(key)).toMatchObject({ key_models: patterns });
  });

  it('are shared by keys that were rotated', async () => {
    const { api_key: first } = await createKey({ models: patterns });
    const rotation = { overlap_seconds: 3600 };

    const rotated = await succeed<RotatedApiKey>('POST', `/keys/${first.id}/rotation`, rotation);
    const { api_key: second, key } = rotated;
    expect([second.models, rotated.replaced.models]).toEqual([patterns, patterns]);

    expect(await setModels(second.id, ['*'])).toEqual({ api_key_id: first.id, models: ['*'] });
    expect([(await details(first.id)).models, (await details(second.id)).models]).toEqual([['*'], ['*']]);
    expect(await requestKeyOf(key)).toMatchObject({ key_models: ['*'] });
  });

  it('are set with a new key, in one transaction', async () => {
    const { api_key, key } = await createKey({ models: patterns });

    expect(api_key.models).toEqual(patterns);
    expect((await details(api_key.id)).models).toEqual(patterns);
    expect(await requestKeyOf(key)).toMatchObject({ key_models: patterns });
    const records = await fixture.auditRecords(acme.id);
    expect(
      records
        .filter(({ target }) => target.id === api_key.id)
        .map(({ action }) => action)
        .sort(),
    ).toEqual(['api_key.created', 'api_key.models_set']);
    expect((await createKey({ models: null })).api_key.models).toBeNull();
  });

  it('are set by admins and owners only', async () => {
    const { api_key } = await createKey({}, member);

    for (const api_key_id of [null, api_key.id]) {
      const body = { api_key_id, models: patterns };
      expect(await call('PUT', '/model-access', body, member)).toMatchObject(denied);
    }
    expect(await call('POST', '/keys', { ...newKey, models: patterns }, member)).toMatchObject(denied);
    expect((await details(api_key.id)).models).toBeNull();
  });

  it.each<[object, string, string]>([
    [{ api_key_id: null }, 'models', 'models must be a list of 1 to 100 patterns'],
    [{ api_key_id: null, models: [] }, 'models', 'models must be a list of 1 to 100 patterns'],
    [
      { api_key_id: null, models: ['*', 'gpt-5.6'] },
      'models[1]',
      'models[1] must have the form <provider>/<model>, such as openai/*: got gpt-5.6',
    ],
    [{ models: null }, 'api_key_id', 'api_key_id must be the id of an API key, or null'],
    [{ api_key_id: null, models: null, all: true }, 'all', 'all is not a field of this request'],
  ])('are not those of %j', async (body, param, message) => {
    const expected = refusal(400, 'invalid_request_error', message, param);

    expect(await call('PUT', '/model-access', body)).toMatchObject(expected);
    expect((await organization()).models).toBeNull();
  });

  it('are refused with a new key like for an existing one', async () => {
    expect(await call('POST', '/keys', { ...newKey, models: ['gpt-5.6'] })).toMatchObject(
      refusal(
        400,
        'invalid_request_error',
        'models[0] must have the form <provider>/<model>, such as openai/*: got gpt-5.6',
        'models[0]',
      ),
    );
  });

  it('can be 100 long patterns', async () => {
    const long = Array.from({ length: 100 }, (_, index) => `openai/${index}-`.padEnd(256, 'a'));

    expect(await setModels(null, long)).toEqual({ api_key_id: null, models: long });
  });

  it('are removed from a revoked key, but not set', async () => {
    const { api_key } = await createKey({ models: patterns });
    await succeed('POST', `/keys/${api_key.id}/revocation`);

    const body = { api_key_id: api_key.id, models: ['*'] };
    expect(await call('PUT', '/model-access', body)).toMatchObject(
      refusal(
        409,
        'conflict',
        'This API key is revoked, so a list of models has no effect: choose an active key',
        'api_key_id',
      ),
    );
    expect(await setModels(api_key.id, null)).toEqual({ api_key_id: api_key.id, models: null });
  });

  it('are not set for the key of another organization', async () => {
    const { api_key } = await createKey();
    const other = await fixture.createOrganization(admin);
    const path = `/organizations/${other.id}/model-access`;

    const response = await fixture.call(admin, 'PUT', path, { api_key_id: api_key.id, models: patterns });

    expect(response).toMatchObject(
      refusal(404, 'not_found', 'There is no such API key in this organization'),
    );
  });
});
