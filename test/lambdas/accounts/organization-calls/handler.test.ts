import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jsonResponse } from '#lambdas/accounts/http/response.ts';
import type { Route } from '#lambdas/accounts/organization-calls/call.ts';
import { createOrganizationCallsHandler } from '#lambdas/accounts/organization-calls/handler.ts';
import type { OrganizationDependencies } from '#lambdas/accounts/organizations/call.ts';
import { type ApiRequest, sendUncheckedRequest } from '#test/support/accounts/api-event.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
  type TestUser,
} from '#test/support/accounts/organizations-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';

const path = '/dashboard/api/organizations/{organization}/example';
const routes: readonly Route<OrganizationDependencies>[] = [
  {
    method: 'GET',
    path: '/dashboard/api/public',
    kind: 'public call',
    handle: async ({ method }) => jsonResponse({ method }),
  },
  {
    method: 'GET',
    path: '/dashboard/api/user',
    kind: 'user call',
    handle: async ({ user }) => jsonResponse({ user: user.id }),
  },
  {
    method: 'POST',
    path,
    kind: 'organization call',
    permission: 'manage_members',
    handle: async ({ user, organization, membership }) =>
      jsonResponse({ user: user.id, organization: organization.name, role: membership.role }),
  },
];

let database: EmbeddedDynamoDB;
let fixture: OrganizationsFixture;
let owner: TestUser;
let organization: string;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await startOrganizationsFixture(database);
});
beforeEach(async () => {
  owner = await fixture.signIn('Ada');
  organization = (await fixture.createOrganization(owner)).id;
});
afterAll(() => database.stop());

function send(user: TestUser | null, request: Pick<ApiRequest, 'method' | 'path' | 'headers'>) {
  const { dependencies } = fixture;
  const { dashboardOrigin } = dependencies.settings;
  const handler = createOrganizationCallsHandler({ routes, dashboardOrigin, dependencies });
  return sendUncheckedRequest(handler, {
    headers: { 'x-dashboard': '1' },
    cookies: user?.cookies,
    ...request,
  });
}

describe('createOrganizationCallsHandler', () => {
  it('refuses calls from other sites before anything else', async () => {
    const response = await send(null, { method: 'GET', path: '/nowhere', headers: {} });
    expect(response).toMatchObject({ status: 403, body: { error: { param: 'x-dashboard' } } });
  });

  it('returns 404 for an unknown path before it looks for a session', async () => {
    expect(await send(null, { method: 'GET', path: '/nowhere' })).toMatchObject({
      status: 404,
      body: { error: { message: 'There is no such path' } },
    });
  });

  it('calls a public route without a session', async () => {
    expect(await send(null, { method: 'GET', path: '/public' })).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      body: { method: 'GET' },
    });
  });

  it('calls any other route only with a session', async () => {
    const found = [
      await send(null, { method: 'GET', path: '/user' }),
      await send(null, { method: 'POST', path: `/organizations/${organization}/example` }),
    ];
    const refused = { status: 401, body: { error: { code: 'invalid_session' } } };
    expect(found).toMatchObject([refused, refused]);
    expect(await send(owner, { method: 'GET', path: '/user' })).toMatchObject({ body: { user: owner.id } });
  });

  it('passes the organization and the membership to a route about an organization', async () => {
    expect(
      await send(owner, { method: 'POST', path: `/organizations/${organization}/example` }),
    ).toMatchObject({ status: 200, body: { user: owner.id, organization: 'Acme', role: 'owner' } });
  });

  it('returns 404 to users who are not members, and 403 to members without the permission', async () => {
    const other = await fixture.signIn('Eve');
    const request = { method: 'POST', path: `/organizations/${organization}/example` };

    const asStranger = await send(other, request);
    await fixture.join(organization, other, 'viewer');
    const asViewer = await send(other, request);

    expect([asStranger, asViewer]).toMatchObject([
      { status: 404, body: { error: { message: 'There is no such organization among yours' } } },
      { status: 403, body: { error: { message: expect.stringContaining('manage_members') } } },
    ]);
  });
});
