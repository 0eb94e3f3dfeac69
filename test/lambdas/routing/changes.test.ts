import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Organization } from '#lambdas/access/directory.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { type RouteId, removeRoute, setRoute } from '#lambdas/routing/changes.ts';
import { createRouteLookup } from '#lambdas/routing/lookup.ts';
import type { Route } from '#lambdas/routing/route.ts';
import { findRoutes } from '#lambdas/routing/store.ts';
import {
  changedAfter,
  createDirectoryFixture,
  type DirectoryFixture,
} from '#test/lambdas/access/directory-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { fc } from '#test/support/fast-check.ts';
import { byTestForm } from '#test/support/test-form.ts';
import { anyRoute } from './routes.ts';

let database: EmbeddedDynamoDB;
let fixture: DirectoryFixture;
let organization: Organization;
let id: RouteId;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
afterAll(() => database.stop());
beforeEach(async () => {
  fixture = await createDirectoryFixture(database);
  organization = await fixture.createOrganization();
  id = { owner: organization.id, name: 'fast' };
  fixture.clock.nowMs++;
});

const small: Route = { strategy: 'order', targets: [{ model: 'openai/gpt-5.6' }] };
const large: Route = {
  strategy: 'weight',
  targets: [
    { model: 'anthropic/claude-5', weight: 0.5, parameters: { temperature: 0.25, metadata_: null } },
    { model: 'openai/gpt-5.6', first_event_seconds: 2.5 },
  ],
  attempts: 2,
};

const set = (route: Route, of: RouteId = id, table: DirectoryTable = fixture.table) =>
  setRoute(table, of, route, fixture.audit);
const remove = (of: RouteId = id) => removeRoute(fixture.table, of, fixture.audit);

async function routesOf(owner: RouteId['owner']) {
  const { routes } = await findRoutes(fixture.table, owner);
  return Object.fromEntries(
    Object.entries(routes).map(([name, { changed_at: _, ...route }]) => [name, route]),
  );
}

async function records(organizationId: string | null) {
  const all = await fixture.audit.records(organizationId);
  return all
    .filter(({ target }) => target.type === 'route')
    .map(({ action, target, before, after }) => [action, target.id, before, after]);
}

describe('setRoute', () => {
  it('stores a route with the time of its change, and an audit record', async () => {
    const first = await set(small);
    fixture.clock.nowMs++;
    const second = await set(large);

    expect([first, second]).toEqual([
      { ...small, changed_at: '2026-03-01T12:00:00.001Z' },
      { ...large, changed_at: '2026-03-01T12:00:00.002Z' },
    ]);
    expect(await findRoutes(fixture.table, organization.id)).toEqual({
      revision: 2,
      routes: { fast: second },
    });
    expect(await records(organization.id)).toEqual([
      ['route.set', 'fast', null, small],
      [
        'route.set',
        'fast',
        small,
        {
          strategy: 'weight',
          targets: [
            {
              model: 'anthropic/claude-5',
              weight: '0.5',
              parameters: '{"temperature":0.25,"metadata_":null}',
            },
            { model: 'openai/gpt-5.6', first_event_seconds: '2.5' },
          ],
          attempts: 2,
        },
      ],
    ]);
  });

  it('keeps the routes of the operator apart from those of organizations', async () => {
    await set(small);
    await set(large, { owner: null, name: 'fast' });

    expect([await routesOf(organization.id), await routesOf(null)]).toEqual([
      { fast: small },
      { fast: large },
    ]);
    expect(await records(null)).toEqual([['route.set', 'fast', null, expect.anything()]]);
  });

  it('records nothing if the route stays the same', async () => {
    const first = await set(large);
    fixture.clock.nowMs++;

    expect(await set(large)).toEqual(first);
    expect(await records(organization.id)).toHaveLength(1);
  });

  it('changes a route in which only the order of parameters differs', async () => {
    const withParameters = (parameters: object): Route => ({
      strategy: 'order',
      targets: [{ model: 'openai/gpt-5.6', parameters: { ...parameters } }],
    });
    await set(withParameters({ b: 1, a: 2 }));
    await set(withParameters({ a: 2, b: 1 }));

    expect(JSON.stringify(await routesOf(organization.id))).toContain('{"a":2,"b":1}');
  });

  it('keeps what another caller changes at the same time', async () => {
    await set(small);
    const other = () => set(large, { ...id, name: 'other' });
    const racing = changedAfter(fixture.table, { operation: 'GetCommand' }, other);

    await set(large, id, racing);

    expect(await routesOf(organization.id)).toEqual({ fast: large, other: large });
    expect(await records(organization.id)).toHaveLength(3);
  });

  it('creates the first two routes of an owner at the same time', async () => {
    const other = () => set(large, { ...id, name: 'other' });
    const racing = changedAfter(fixture.table, { operation: 'GetCommand' }, other);

    await set(small, id, racing);

    expect(await routesOf(organization.id)).toEqual({ fast: small, other: large });
  });

  it('refuses an invalid name', async () => {
    await expect(set(small, { ...id, name: 'Fast' })).rejects.toMatchObject({ status: 400, param: 'name' });
  });

  it('refuses a deleted organization', async () => {
    const { directory, audit } = fixture;
    await set(small);
    await directory.deleteOrganization({
      organizationId: organization.id,
      audit,
      readMemberships: async () => [],
    });
    const message = 'There is no such organization any more';

    await expect(set(large)).rejects.toMatchObject({ code: 'not_found', message });
    await expect(remove()).rejects.toMatchObject({ code: 'not_found', message });
    expect(await routesOf(organization.id)).toEqual({ fast: small });
  });

  it('refuses more than 50 routes, but changes the existing ones', async () => {
    for (let index = 0; index < 50; index++) await set(small, { ...id, name: `route-${index}` });

    await expect(set(small)).rejects.toMatchObject({
      code: 'conflict',
      message: 'There can be at most 50 routes: remove one that is no longer used',
    });
    await set(large, { ...id, name: 'route-49' });
    expect(await routesOf(organization.id)).toMatchObject({ 'route-49': large });
  });

  it('refuses routes that are too large together', async () => {
    const targets = Array.from({ length: 10 }, (_, index) => ({
      model: `openai/${index}`,
      parameters: { user: 'a'.repeat(2000) },
    }));
    const huge = { strategy: 'order', targets: targets as unknown as Route['targets'] } as const;
    for (let index = 0; index < 4; index++) await set(huge, { ...id, name: `route-${index}` });

    await expect(set(huge)).rejects.toMatchObject({
      code: 'conflict',
      message:
        'All routes together can have at most 100,000 bytes as JSON: shorten the parameters of targets, or remove a route',
    });
  });
});

describe('removeRoute', () => {
  it('removes one route, with an audit record', async () => {
    await set(small);
    const other = await set(large, { ...id, name: 'other' });
    fixture.clock.nowMs++;

    expect(await remove()).toMatchObject(small);
    expect(await findRoutes(fixture.table, organization.id)).toEqual({ revision: 3, routes: { other } });
    expect((await records(organization.id)).at(-1)).toEqual(['route.removed', 'fast', small, null]);
  });

  it('refuses a route that does not exist', async () => {
    await set(small);
    const message = 'There is no such route';

    await expect(remove({ ...id, name: 'other' })).rejects.toMatchObject({ code: 'not_found', message });
    await expect(remove({ ...id, name: 'constructor' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(remove({ owner: null, name: 'fast' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('removes a route that is set again', async () => {
    await set(small);
    await remove();
    await set(large);

    expect(await routesOf(organization.id)).toEqual({ fast: large });
  });
});

it('lets requests read the routes that were set, to the byte', async () => {
  const calls = createSdkTableCalls(fixture.table.client);
  const { tableName } = fixture.table;
  await fc.assert(
    fc.asyncProperty(anyRoute, fc.constantFrom(null, organization.id), async (route, owner) => {
      await set(route, { owner, name: 'any' });
      const lookup = createRouteLookup({ calls, tableName, now: fixture.audit.now });

      const { changed_at: _, ...found } = Object(await lookup.find(organization.id, 'any'));

      expect(JSON.stringify(found)).toBe(JSON.stringify(route));
      await removeRoute(fixture.table, { owner, name: 'any' }, fixture.audit);
    }),
    { numRuns: byTestForm({ short: 50, long: 1000 }) },
  );
});
