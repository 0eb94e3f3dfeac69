/** One successful call of each route. The fixtures compare every response with the type of its route, here and elsewhere. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes as analyticsRoutes } from '#lambdas/accounts/analytics/handler.ts';
import { apiPath } from '#lambdas/accounts/http/router.ts';
import { routes as organizationRoutes } from '#lambdas/accounts/organizations/handler.ts';
import type {
  ApiKeySummary,
  InvitationList,
  NewApiKey,
  NewInvitation,
  OrganizationDetails,
} from '#lambdas/accounts/organizations/responses.ts';
import { routes as sessionRoutes } from '#lambdas/accounts/sign-in/handler.ts';
import type { SessionList } from '#lambdas/accounts/sign-in/responses.ts';
import { createModelsEndpoint } from '#lambdas/inference/models/endpoint.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { setRoute } from '#lambdas/routing/changes.ts';
import { type AnalyticsFixture, startAnalyticsFixture } from '#test/support/accounts/analytics-fixture.ts';
import { type ApiResponse, sendApiRequest } from '#test/support/accounts/api-event.ts';
import { type DashboardFixture, startDashboardFixture } from '#test/support/accounts/dashboard-fixture.ts';
import {
  statedFieldErrors,
  statedRoutes,
  testRequestRoutes,
  typeErrors,
} from '#test/support/accounts/response-types.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { createTestAuditTrail } from '#test/support/audit/test-audit-trail.ts';
import { logEntry } from '#test/support/log-entries.ts';

/** By the name of the route; `null` without a body. */
const bodies = new Map<string, unknown>();

let fixture: AnalyticsFixture;
let dashboard: DashboardFixture;
beforeAll(async () => {
  fixture = await startAnalyticsFixture();
  dashboard = await startDashboardFixture(fixture.reports.database);
  await callSessionRoutes();
  await callOrganizationRoutes();
  await callAnalyticsRoutes();
});
afterAll(async () => {
  await dashboard.stop();
  await fixture.stop();
});

type Send = (method: string, path: string, body?: unknown) => Promise<ApiResponse>;
type Ids = Readonly<Record<string, string>>;

/** `ids` are those in the path. */
function caller(send: Send, commonIds: Ids = {}) {
  return async <Body>(name: string, body?: unknown, ids: Ids = {}): Promise<Body> => {
    const [method = '', pattern = ''] = name.split(' ');
    const path = pattern.replaceAll(/\{(\w+)\}/g, (_, id) => ({ ...commonIds, ...ids })[id] ?? '');
    return keepBody<Body>(name, await send(method, path, body));
  };
}

function keepBody<Body>(name: string, { status, body, text }: ApiResponse): Body {
  if (status >= 400) throw new Error(`${name}: ${text}`);
  bodies.set(name, body);
  return body as Body;
}

async function callSessionRoutes(): Promise<void> {
  const ada = dashboard.pool.addUser({ email: 'ada@example.com', name: 'Ada' });
  ada.passkeys.push({ CredentialId: 'one', FriendlyCredentialName: 'Phone', CreatedAt: 0 });
  const other = dashboard.browser();
  await other.signIn(ada);
  const browser = dashboard.browser();
  const navigate = caller((_, path) => browser.navigate(path));
  const signIn = caller(() => browser.signIn(ada));
  const call = caller((method, path, body) => browser.call(method, path, { body }));

  await navigate('GET /sign-in');
  await signIn('GET /callback');
  await call('GET /sign-in-options');
  await call('GET /session');
  const { data } = await call<SessionList>('GET /sessions');
  await call('DELETE /sessions/{id}', undefined, { id: data.find(({ current }) => !current)?.id ?? '' });
  await call('GET /account');
  await call('PATCH /account', { name: 'Ada Lovelace' });
  await call('POST /account/email', { email: 'ada@example.org' });
  await call('POST /account/email/verification', { code: '123456' });
  await call('POST /account/totp');
  await call('POST /account/totp/verification', { code: '123456' });
  await call('DELETE /account/passkeys/{id}', undefined, { id: 'one' });
  await call('DELETE /account/totp');
  await call('DELETE /sessions');
  await signIn('GET /callback');
  await call('DELETE /session');
  await navigate('GET /sign-out');
  await signIn('GET /callback');
  await call('DELETE /account', { email: 'ada@example.org' });
}

async function callOrganizationRoutes(): Promise<void> {
  const { accounts } = fixture;
  const owner = await accounts.signIn('Ada');
  const grace = await accounts.signIn('Grace');
  const asOwner: Send = (method, path, body) => accounts.call(owner, method, path, body);
  const asGrace: Send = (method, path, body) => accounts.call(grace, method, path, body);
  const { id: organization } = await caller(asOwner)<OrganizationDetails>('POST /organizations', {
    name: 'Acme',
  });
  const at = (path: string) => `/organizations/{organization}${path}`;
  const call = caller(asOwner, { organization, member: grace.id });

  await call('GET /organizations');
  await call(`PATCH ${at('')}`, { name: 'Acme Corporation' });
  await call(`GET ${at('')}`);

  const invite = { email: 'grace@example.com', role: 'member' };
  const { url } = await call<NewInvitation>(`POST ${at('/invitations')}`, invite);
  const token = url.split('/').at(-1);
  await call('POST /invitations/offer', { token });
  await caller(asGrace)('POST /invitations/acceptance', { token });
  await call(`POST ${at('/invitations')}`, { ...invite, email: 'eve@example.com' });
  const { data } = await call<InvitationList>(`GET ${at('/invitations')}`);
  await call(`DELETE ${at('/invitations/{invitation}')}`, undefined, { invitation: data[0]?.id ?? '' });

  const budget = { amount_usd: '25.5', period: 'month', hard: false };
  const newKey = { name: 'CI', expires_at: null, budget };
  const { api_key } = await call<NewApiKey>(`POST ${at('/keys')}`, newKey);
  const key = { key: api_key.id };
  await call<ApiKeySummary>(`PATCH ${at('/keys/{key}')}`, { name: 'Nightly' }, key);
  await call(`POST ${at('/keys/{key}/rotation')}`, { overlap_seconds: 3600 }, key);
  await call(`POST ${at('/keys/{key}/revocation')}`, undefined, key);
  await call(`GET ${at('/keys')}`);
  await call(`GET ${at('/key-names')}`);
  await call(`GET ${at('/keys/{key}')}`, undefined, key);

  const ofOrganization = { api_key_id: null, period: 'day' };
  await call(`POST ${at('/budgets')}`, { ...budget, ...ofOrganization, allow_unpriced: false });
  await call(`GET ${at('/budgets')}`);
  await call(`DELETE ${at('/budgets')}`, ofOrganization);
  await call(`POST ${at('/budgets/test-mail')}`);

  const limits = { requests_per_minute: 60, tokens_per_minute: null, concurrent: null };
  await call(`PUT ${at('/rate-limits')}`, { api_key_id: null, ...limits });
  await call(`PUT ${at('/rate-limits/defaults')}`, { for: 'new_keys', ...limits });
  await call(`GET ${at('/rate-limits')}`);

  const route = { strategy: 'order', targets: [{ model: 'openai/gpt-5.6' }] };
  await call(`PUT ${at('/routes/{name}')}`, route, { name: 'gpt-5.6' });
  await call(`DELETE ${at('/routes/{name}')}`, undefined, { name: 'gpt-5.6' });
  await call(`PUT ${at('/model-access')}`, { api_key_id: null, models: ['openai/*'] });

  await call(`GET ${at('/members')}`);
  await call(`PATCH ${at('/members/{member}')}`, { role: 'admin' });
  await call(`DELETE ${at('/members/{member}')}`, { keys: 'revoke' });
  await call(`GET ${at('/removals')}`);
  await call(`GET ${at('/audit-records')}`);
  await call(`DELETE ${at('')}`, { name: 'Acme Corporation' });
}

async function callAnalyticsRoutes(): Promise<void> {
  const [first = '', second = ''] = ['2026-11-22T10:00:00Z', '2026-11-23T07:00:00Z'].map((time) =>
    createLogId(Date.parse(time)),
  );
  await fixture.record(
    logEntry({ id: first, session_id: 's', model: 'gpt-4o-mini' }),
    logEntry({ id: second, session_id: 's' }),
  );
  const pathByRoute = {
    '/costs': '/costs?start=2026-11-22T00:00:00Z&group_by=model&limit=1&interval=day&compare=previous',
    '/logs': '/logs?limit=1',
    '/logs/{id}': `/logs/${second}`,
    '/session': '/session?session_id=s',
    '/providers': '/providers',
    '/models': '/models',
    '/routes': '/routes',
    '/routes/{name}/activity': '/routes/fast/activity',
    '/projection': '/projection',
    '/statements/{month}': '/statements/2026-11',
  };
  const table = fixture.dependencies.directoryTable;
  const { organizationId } = fixture.caller;
  const targets = [{ model: 'openai/gpt-4o-mini' }] as const;
  const audit = createTestAuditTrail(fixture.reports.database, fixture.reports.tables);
  await setRoute(table, { owner: organizationId, name: 'fast' }, { strategy: 'order', targets }, audit);
  for (const [route, path] of Object.entries(pathByRoute))
    keepBody(`GET /analytics/{organization}${route}`, await fixture.get(path));
  const tested = { operation: 'chat.completions', request: { messages: [] } };
  keepBody(
    'POST /analytics/{organization}/routes/{name}/test',
    await fixture.post('/routes/fast/test', tested),
  );
}

/** Enough of a body to have every field: the list of models has thousands. */
function withShortLists(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (_, value) => (Array.isArray(value) ? value.slice(0, 2) : value));
}

/** The objects in a body, except for the values of an audit record, whose fields are any. */
function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const [field, child] of Object.entries(value)) {
    if (field !== 'before' && field !== 'after') yield* objectsIn(child);
  }
}

describe('The responses of the dashboard', () => {
  it('have a type for each route, and one of them is compared with it', () => {
    const routes = [...sessionRoutes, ...organizationRoutes, ...analyticsRoutes];
    const names = routes.map(({ method, path }) => `${method} ${path.slice(apiPath.length)}`).sort();

    expect(
      statedRoutes()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(names);
    expect([...bodies.keys()].sort()).toEqual(names);
  });

  it('are not of their type with another field, or without one, anywhere in them', () => {
    let fields = 0;
    for (const route of statedRoutes()) {
      const body = withShortLists(bodies.get(route.name));
      expect(typeErrors(route, body)).toEqual([]);
      if (body === null) expect(typeErrors(route, {})).not.toEqual([]);
      for (const object of objectsIn(body)) {
        object.additional = null;
        expect(typeErrors(route, body)).toContainEqual(
          expect.stringContaining('additional properties: additional'),
        );
        delete object.additional;
        for (const [field, value] of Object.entries(object)) {
          delete object[field];
          expect([field, typeErrors(route, body)]).not.toEqual([field, []]);
          object[field] = value;
          fields += 1;
        }
      }
    }

    expect(fields).toBeGreaterThan(300);
  });

  it('have the fields that the page reads of the public API, whose responses test requests pass on', async () => {
    const id = createLogId(Date.parse('2026-11-23T07:30:00Z'));
    await fixture.record(logEntry({ id }));
    const entry = await fixture.reports.get('log', { caller: fixture.caller, id });
    const listModels = createModelsEndpoint({
      settings: {},
      credentials: { providerNames: async () => ['openai'] },
      region: 'us-east-1',
      routes: { list: async () => [] },
      now: fixture.dependencies.now,
    });
    const bodyByRoute: Record<string, unknown> = {
      'POST /test-requests/models': withShortLists(
        await listModels({ apiKey: requestKey(), headers: {}, query: {}, pathId: '' }),
      ),
      'POST /test-requests/entry': entry.body,
    };

    expect(testRequestRoutes().map(({ name }) => name)).toEqual(Object.keys(bodyByRoute));
    for (const route of testRequestRoutes()) {
      const body = bodyByRoute[route.name];
      expect(statedFieldErrors(route, body)).toEqual([]);
      expect(statedFieldErrors(route, {})).not.toEqual([]);
    }
  });

  it('fail the test in which they are not of their type', async () => {
    const headers = { 'content-type': 'application/json' };
    const handle = async () => ({ statusCode: 200, headers, body: '{"id":1}' });
    const send = (method: string, path: string) => sendApiRequest(handle, { method, path });

    await expect(send('GET', '/session')).rejects.toThrow('GET /session is not of its type');
    await expect(send('DELETE', '/session')).rejects.toThrow('must be null');
    await expect(send('GET', '/other')).rejects.toThrow('There is no such path');
  });
});
