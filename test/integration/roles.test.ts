/**
 * Every operation of the dashboard's interface, called with every role, without a session, and by a member of another
 * organization. Nothing is changed: bodies are empty and ids unknown, so that an allowed call fails after its checks.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes as analyticsRoutes } from '#lambdas/accounts/analytics/handler.ts';
import { apiPath } from '#lambdas/accounts/http/router.ts';
import { routes as organizationRoutes } from '#lambdas/accounts/organizations/handler.ts';
import type { NewApiKey } from '#lambdas/accounts/organizations/responses.ts';
import { isAllowed, type Permission, permissions, type Role, roles } from '#lambdas/accounts/permissions.ts';
import { routes as sessionRoutes } from '#lambdas/accounts/sign-in/handler.ts';
import { testRoutes } from '#lambdas/accounts/test-request/gateway-request.ts';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { type LocalSession, signUpLocally } from '#test/support/accounts/local-sign-up.ts';
import { assertStatedType } from '#test/support/accounts/response-types.ts';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';

const organization = '/organizations/{organization}';
const analytics = '/analytics/{organization}';

/** All routes, by the permission or else by the only thing that a call needs. A browser navigates without the page's header. */
const routesByNeed = {
  nothing: ['GET /sign-in', 'GET /callback', 'GET /sign-out'],
  header: ['GET /sign-in-options', 'POST /invitations/offer'],
  session: [
    'GET /session',
    'DELETE /session',
    'GET /sessions',
    'DELETE /sessions',
    'DELETE /sessions/{id}',
    'GET /account',
    'PATCH /account',
    'DELETE /account',
    'POST /account/email',
    'POST /account/email/verification',
    'DELETE /account/passkeys/{id}',
    'POST /account/totp',
    'DELETE /account/totp',
    'POST /account/totp/verification',
    'GET /organizations',
    'POST /organizations',
    'POST /invitations/acceptance',
  ],
  view: [
    `GET ${organization}`,
    `GET ${organization}/members`,
    `GET ${organization}/removals`,
    // Any member may leave.
    `DELETE ${organization}/members/{member}`,
    `GET ${organization}/keys`,
    `GET ${organization}/keys/{key}`,
    `GET ${organization}/key-names`,
    `GET ${organization}/budgets`,
    `GET ${organization}/rate-limits`,
    `GET ${analytics}/costs`,
    `GET ${analytics}/logs`,
    `GET ${analytics}/logs/{id}`,
    `GET ${analytics}/session`,
    `GET ${analytics}/providers`,
    `GET ${analytics}/models`,
    `GET ${analytics}/routes`,
    `GET ${analytics}/routes/{name}/activity`,
    `POST ${analytics}/routes/{name}/test`,
    `GET ${analytics}/projection`,
    `GET ${analytics}/statements/{month}`,
  ],
  create_keys: [`POST ${organization}/keys`],
  manage_own_keys: [
    `PATCH ${organization}/keys/{key}`,
    `POST ${organization}/keys/{key}/rotation`,
    `POST ${organization}/keys/{key}/revocation`,
  ],
  send_test_requests: ['POST /test-requests', 'POST /test-requests/models', 'POST /test-requests/entry'],
  // Checked by handlers, for what depends on the key or the member.
  manage_all_keys: [],
  manage_budgets: [
    `POST ${organization}/budgets`,
    `DELETE ${organization}/budgets`,
    `POST ${organization}/budgets/test-mail`,
    `PUT ${organization}/rate-limits`,
    `PUT ${organization}/rate-limits/defaults`,
  ],
  manage_routing: [
    `PUT ${organization}/routes/{name}`,
    `DELETE ${organization}/routes/{name}`,
    `PUT ${organization}/model-access`,
  ],
  manage_members: [
    `PATCH ${organization}/members/{member}`,
    `GET ${organization}/invitations`,
    `POST ${organization}/invitations`,
    `DELETE ${organization}/invitations/{invitation}`,
  ],
  manage_owners: [],
  manage_organization: [`PATCH ${organization}`, `DELETE ${organization}`],
  view_audit_trail: [`GET ${organization}/audit-records`],
} satisfies Record<'nothing' | 'header' | 'session' | Permission, string[]>;

const { nothing, header, session: signedIn, ...byPermission } = routesByNeed;
const ofOrganizations = permissions.flatMap((permission) =>
  byPermission[permission].map((name) => [name, permission] as const),
);
const withSession = [...signedIn, ...ofOrganizations.map(([name]) => name)];
const withHeader = [...header, ...withSession];

let gateway: LocalGateway;
const sessions = new Map<Role | 'stranger', LocalSession & { userId: string }>();

async function signIn(who: Role | 'stranger'): Promise<LocalSession> {
  const session = await signUpLocally(gateway, `${who}@example.com`);
  const { user } = (await (await session.call('GET', '/session')).json()) as { user: { id: string } };
  sessions.set(who, { ...session, userId: user.id });
  return session;
}

beforeAll(async () => {
  gateway = await startLocalGateway({
    port: 0,
    ephemeral: true,
    assemblyDirectory: await gatewayAssembly(),
    environment: { PATH: process.env.PATH },
    onLogLine: () => {},
  });
  // The first account owns the organization Demo.
  const owner = await signIn('owner');
  for (const role of roles.filter((each) => each !== 'owner')) {
    const invited = await owner.call('POST', `/organizations/${gateway.organizationId}/invitations`, {
      email: `${role}@example.com`,
      role,
    });
    const { url } = (await invited.json()) as { url: string };
    const member = await signIn(role);
    const accepted = await member.call('POST', '/invitations/acceptance', { token: url.split('/').at(-1) });
    expect(accepted.status).toBe(200);
  }
  const stranger = await signIn('stranger');
  const created = await stranger.call('POST', '/organizations', { name: 'Elsewhere' });
  expect(created.status).toBe(200);
});
afterAll(() => gateway.stop());

interface Refusal {
  status: number;
  code: string | undefined;
  message: string | undefined;
}

/** Bodies have nothing but the organization, which `TestRequest` expects there. */
async function call(who: Role | 'stranger', name: string): Promise<Refusal> {
  const [method = '', path = ''] = name.split(' ');
  const session = sessions.get(who);
  if (session === undefined) throw new Error(`${who} has not signed up`);
  const target = path.replace('{organization}', gateway.organizationId).replaceAll(/\{\w+\}/g, 'unknown-id');
  const body = path.startsWith('/test-requests') ? { organization_id: gateway.organizationId } : {};
  const response = await session.call(method, target, method === 'GET' ? undefined : body);
  return refusalOf(response);
}

async function refusalOf(response: Response): Promise<Refusal> {
  const text = await response.text();
  const { error } = text === '' ? {} : (JSON.parse(text) as { error?: { code: string; message: string } });
  return { status: response.status, code: error?.code, message: error?.message };
}

const noMembership = 'There is no such organization among yours';

it('covers the routes of all functions', () => {
  const routes = [...sessionRoutes, ...organizationRoutes, ...analyticsRoutes, ...testRoutes];
  const names = routes.map(({ method, path }) => `${method} ${path.slice(apiPath.length)}`);

  expect(Object.values(routesByNeed).flat().sort()).toEqual(names.sort());
});

describe('The operations of organizations', () => {
  it.each(ofOrganizations)('%s (%s) refuses exactly the roles below', async (name, permission) => {
    const refused: Role[] = [];
    for (const role of roles) {
      const { status, code, message } = await call(role, name);
      expect(message).not.toBe(noMembership);
      if (status === 403) {
        expect([code, message]).toEqual([
          'forbidden',
          `Your role in this organization does not include the permission ${permission}: ask an owner`,
        ]);
        refused.push(role);
      } else {
        // 409: this gateway sends no e-mails.
        const statuses = name.endsWith('/test-mail') ? [409] : [200, 204, 400, 404];
        expect(statuses).toContain(status);
      }
    }

    expect(refused).toEqual(roles.filter((role) => !isAllowed(role, permission)));
  });

  it.each(ofOrganizations)('%s does not tell others whether the organization exists', async (name) => {
    const refusal = await call('stranger', name);

    expect(refusal).toEqual({ status: 404, code: 'not_found', message: noMembership });
  });
});

describe('The responses to an owner', () => {
  const reads = ofOrganizations.flatMap(([name]) => (name.startsWith('GET ') ? name : []));
  /** The log entry of a rejected request, since no provider has a credential. */
  let entryId: string;
  let keyId: string;

  const sendRequest = async (key: string) => {
    const response = await fetch(`${gateway.baseUrl}/ai/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'gateway-session-id': 'described' },
      body: JSON.stringify({ model: 'openai/gpt-4o-mini', messages: [] }),
    });
    return response.headers.get('x-gateway-request-id') ?? '';
  };

  beforeAll(async () => {
    const organization = `/organizations/${gateway.organizationId}`;
    const owner = sessions.get('owner');
    const budget = {
      api_key_id: null,
      period: 'month',
      amount_usd: '25.5',
      hard: false,
      allow_unpriced: false,
    };
    const newKey = { name: 'described', expires_at: null, budget: null };
    const created = await owner?.call('POST', `${organization}/keys`, newKey);
    const issued = (await created?.json()) as NewApiKey | undefined;
    keyId = issued?.api_key.id ?? '';
    entryId = await sendRequest(issued?.key ?? '');
    await owner?.call('POST', `${organization}/budgets`, budget);
    const limits = { requests_per_minute: 10_000, tokens_per_minute: null, concurrent: null };
    await owner?.call('PUT', `${organization}/rate-limits`, { api_key_id: null, ...limits });
    const route = { strategy: 'order', targets: [{ model: 'openai/gpt-4o-mini' }] };
    await owner?.call('PUT', `${organization}/routes/gpt-4o.mini`, route);
    await owner?.call('POST', `${organization}/invitations`, {
      email: 'pending@example.com',
      role: 'viewer',
    });
  });

  it.each(reads)('to %s have its type', async (name) => {
    const target = name
      .replace('GET ', '')
      .replace('{organization}', gateway.organizationId)
      .replace('{id}', entryId)
      .replace('{key}', keyId)
      .replace('{name}', 'gpt-4o.mini')
      .replace('{month}', new Date().toISOString().slice(0, 7));
    const query = name.endsWith('/session') ? '?session_id=described' : '';
    const response = await sessions.get('owner')?.call('GET', target + query);
    const { status = 0, headers } = response ?? {};
    const text = (await response?.text()) ?? '';
    const body = JSON.parse(text) as { data?: unknown[] };

    expect(status).toBe(200);
    assertStatedType('GET', target, { status, headers: Object.fromEntries(headers ?? []), text });
    // Nobody is being removed: `responses.test.ts` has the type of a removal.
    if (!name.endsWith('/removals')) expect(body.data?.length).not.toBe(0);
  });
});

/** `sent` are the headers. Ids in the path are of nothing. */
async function callWithoutSession(name: string, sent: Record<string, string>): Promise<Response> {
  const [method = '', path = ''] = name.split(' ');
  const target = apiPath + path.replaceAll(/\{\w+\}/g, 'unknown-id');
  const body = method === 'GET' ? {} : { body: '{}' };
  return fetch(gateway.dashboardUrl + target, { method, headers: sent, redirect: 'manual', ...body });
}

describe('Without a session', () => {
  it.each(withSession)('%s is refused', async (name) => {
    const { status, code } = await refusalOf(await callWithoutSession(name, { 'x-dashboard': '1' }));

    expect([status, code]).toEqual([401, 'invalid_session']);
  });

  it.each(withHeader)('%s is refused to other sites, which cannot send the header', async (name) => {
    const { status, code } = await refusalOf(await callWithoutSession(name, {}));

    expect([status, code]).toEqual([403, 'forbidden']);
  });

  it.each(header)('%s is called', async (name) => {
    const { status } = await callWithoutSession(name, { 'x-dashboard': '1' });

    expect([200, 400]).toContain(status);
  });

  it.each(nothing)('a browser may navigate to %s', async (name) => {
    const { status } = await callWithoutSession(name, {});

    expect([302, 400]).toContain(status);
  });
});
