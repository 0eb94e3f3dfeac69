/**
 * Every operation of the dashboard's interface, called with every role, without a session, and by a member of another
 * organization. Nothing is changed: bodies are empty and ids unknown, so that an allowed call fails after its checks.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAllowed, type Permission, permissions, type Role, roles } from '#lambdas/accounts/permissions.ts';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { type LocalSession, signUpLocally } from '#test/support/accounts/local-sign-up.ts';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';
import { apiDescription, schemaErrors } from '#test/support/openapi.ts';

const base = '/dashboard/api';

interface Operation {
  name: string;
  method: string;
  path: string;
  permission: Permission | null;
  isPublic: boolean;
}

const operations: Operation[] = Object.entries(apiDescription.paths)
  .filter(([path]) => path.startsWith(base))
  .flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== 'servers')
      .map(([method, { operationId, security, 'x-permission': permission }]) => ({
        name: operationId,
        method: method.toUpperCase(),
        path: path.slice(base.length),
        permission: (permission as Permission | undefined) ?? null,
        isPublic: security?.length === 0,
      })),
  );

const ofOrganizations = operations.filter(({ permission }) => permission !== null);
const withSession = operations.filter(({ isPublic }) => !isPublic);

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
async function call(who: Role | 'stranger', { method, path }: Operation): Promise<Refusal> {
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

describe('The operations of organizations', () => {
  it('use every permission', () => {
    const used = new Set(ofOrganizations.map(({ permission }) => permission));
    // Checked in addition to the permission of the route, for what depends on the key or the member.
    const checkedByHandlers: Permission[] = ['manage_all_keys', 'manage_owners'];

    expect(permissions.filter((permission) => !used.has(permission)).sort()).toEqual(checkedByHandlers);
  });

  it.each(ofOrganizations)('$name ($permission) refuses exactly the roles below', async (operation) => {
    const { permission } = operation;
    if (permission === null) return;
    const refused: Role[] = [];
    for (const role of roles) {
      const { status, code, message } = await call(role, operation);
      expect(message).not.toBe(noMembership);
      if (status === 403) {
        expect([code, message]).toEqual([
          'forbidden',
          `Your role in this organization does not include the permission ${permission}: ask an owner`,
        ]);
        refused.push(role);
      } else {
        expect([200, 204, 400, 404]).toContain(status);
      }
    }

    expect(refused).toEqual(roles.filter((role) => !isAllowed(role, permission)));
  });

  it.each(ofOrganizations)(
    '$name does not tell others whether the organization exists',
    async (operation) => {
      const refusal = await call('stranger', operation);

      expect(refusal).toEqual({ status: 404, code: 'not_found', message: noMembership });
    },
  );
});

describe('The responses to an owner', () => {
  const reads = ofOrganizations.filter(({ method }) => method === 'GET');
  /** The log entry of a rejected request, since no provider has a credential. */
  let entryId: string;

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
    const apiKey = (await created?.json()) as { key: string } | undefined;
    entryId = await sendRequest(apiKey?.key ?? '');
    await owner?.call('POST', `${organization}/budgets`, budget);
    await owner?.call('POST', `${organization}/invitations`, {
      email: 'pending@example.com',
      role: 'viewer',
    });
  });

  it.each(reads)('of $name match the description', async ({ path }) => {
    const target = path
      .replace('{organization}', gateway.organizationId)
      .replace('{id}', entryId)
      .replace('{month}', new Date().toISOString().slice(0, 7));
    const query = path.endsWith('/session') ? '?session_id=described' : '';
    const response = await sessions.get('owner')?.call('GET', target + query);
    const body = (await response?.json()) as { data?: unknown[] };

    const operation = `/paths/${`${base}${path}`.replaceAll('/', '~1')}/get`;
    expect(schemaErrors(body, `${operation}/responses/200/content/application~1json/schema`)).toEqual([]);
    expect(body.data?.length).not.toBe(0);
  });
});

describe('Without a session', () => {
  it.each(withSession)('$name is refused', async ({ method, path }) => {
    const response = await fetch(
      `${gateway.dashboardUrl}${base}${path.replaceAll(/\{\w+\}/g, 'unknown-id')}`,
      {
        method,
        headers: { 'x-dashboard': '1' },
        ...(method !== 'GET' && { body: '{}' }),
      },
    );

    const { status, code } = await refusalOf(response);
    expect([status, code]).toEqual([401, 'invalid_session']);
  });

  it.each(withSession)(
    '$name is refused to other sites, which cannot send the header',
    async ({ method, path }) => {
      const response = await fetch(
        `${gateway.dashboardUrl}${base}${path.replaceAll(/\{\w+\}/g, 'unknown-id')}`,
        {
          method,
          ...(method !== 'GET' && { body: '{}' }),
        },
      );

      const { status, code } = await refusalOf(response);
      expect([status, code]).toEqual([403, 'forbidden']);
    },
  );
});
