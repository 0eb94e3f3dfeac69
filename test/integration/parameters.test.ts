/** Calls every operation with bad values of every parameter: nothing fails, and a refusal names the parameter. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { apiPath } from '#lambdas/accounts/http/router.ts';
import type { NewApiKey } from '#lambdas/accounts/organizations/responses.ts';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { type LocalSession, signUpLocally } from '#test/support/accounts/local-sign-up.ts';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';
import { badBodies, badJsonValues, badPathParts, badQueryValues, shown } from './parameters/bad-values.ts';
import { type PublicOperation, publicOperations } from './parameters/public-operations.ts';
import { type Expectation, isThrottled, type Outcome, outcomeOf, problemsOf } from './parameters/refusals.ts';
import { type BodyFields, dashboardRoutes, type RouteParameters } from './parameters/route-parameters.ts';

vi.mock('#lambdas/accounts/http/request.ts', { spy: true });
vi.mock('#lambdas/platform/http/query.ts', { spy: true });

const routes = (await dashboardRoutes()).map((route) => ({
  ...route,
  name: `${route.method} ${route.path}`,
}));
const routesWithBody = routes.flatMap(({ body, ...route }) => (body === null ? [] : { ...route, body }));

let gateway: LocalGateway;
let session: LocalSession;
/** Values that the routes accept, by the names of their parameters. */
let examples: Record<string, unknown>;
beforeAll(async () => {
  gateway = await startLocalGateway({
    port: 0,
    ephemeral: true,
    assemblyDirectory: await gatewayAssembly(),
    environment: { PATH: process.env.PATH },
    onLogLine: () => {},
  });
  // The first account owns the organization Demo.
  session = await signUpLocally(gateway, 'owner@example.com');
  const newKey = { name: 'ci', expires_at: null, budget: null };
  const created = await session.call('POST', `/organizations/${gateway.organizationId}/keys`, newKey);
  const { api_key, key } = (await created.json()) as NewApiKey;
  const budget = { period: 'month', amount_usd: '1', hard: false };
  const inPath = {
    organization: gateway.organizationId,
    key: api_key.id,
    member: 'user',
    invitation: 'f00d',
  };
  examples = {
    ...{ ...newKey, ...budget, budget, api_key_id: null, allow_unpriced: false, overlap_seconds: 60 },
    ...{ email: 'other@example.com', role: 'viewer', keys: 'keep', token: 'unknown', code: '000000' },
    ...{ time_zone: 'Europe/Berlin' },
    ...{ for: 'new_keys', requests_per_minute: 600, tokens_per_minute: null, concurrent: null },
    ...{ organization_id: gateway.organizationId, api_key: key, model: 'demo/demo-1' },
    ...{ ...inPath, id: '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01', month: '2026-01' },
  };
});
afterAll(() => gateway.stop());

function exampleOf(name: string): unknown {
  if (name in examples) return examples[name];
  throw new Error(`The parameter ${name} has no example`);
}

interface Case {
  /** For the message of a failure. */
  name: string;
  send(): Promise<Outcome>;
  expected: Expectation;
}

async function expectRefusals(cases: readonly Case[]): Promise<void> {
  const problems: string[] = [];
  for (const { name, send, expected } of cases) {
    const outcome = await untilAdmitted(send);
    problems.push(...problemsOf(outcome, expected).map((problem) => `${name}: ${problem}`));
  }
  expect(cases.length).toBeGreaterThan(0);
  expect(problems).toEqual([]);
}

/** An idle machine sends the cases faster than the throttling of the API admits them. */
function untilAdmitted(send: () => Promise<Outcome>): Promise<Outcome> {
  return vi.waitUntil(
    async () => {
      const outcome = await send();
      return isThrottled(outcome) ? null : outcome;
    },
    { timeout: 60_000, interval: 100 },
  );
}

/** With examples, and `part` as it stands in the URL. */
function pathOf({ path }: { path: string }, part?: { name: string; value: string }): string {
  const values = part === undefined ? examples : { ...examples, [part.name]: part.value };
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

describe('The dashboard', () => {
  /** `target` is below `/dashboard/api`, as it stands in the URL. */
  async function call({ method }: RouteParameters, target: string, body?: string): Promise<Outcome> {
    const headers = { cookie: `__Host-session=${session.cookie}`, 'x-dashboard': '1' };
    const url = gateway.dashboardUrl + apiPath + target;
    return outcomeOf(await fetch(url, { method, headers, body, redirect: 'manual' }));
  }

  /** Has the required fields, and `value` in the given one: `undefined` for a body without it. */
  function bodyWith({ required }: BodyFields, field: string, value: unknown): Record<string, unknown> {
    const [outer = '', inner] = field.split('.');
    const own = inner === undefined ? value : { ...Object(exampleOf(outer)), [inner]: value };
    return { ...Object.fromEntries(required.map((name) => [name, exampleOf(name)])), [outer]: own };
  }

  it('has parameters in every place', () => {
    const budget = routesWithBody.find(({ name }) => name === 'POST /organizations/{organization}/budgets');
    const logs = routes.find(({ name }) => name === 'GET /analytics/{organization}/logs');

    expect(budget?.body.fields).toEqual(['api_key_id', 'period', 'amount_usd', 'hard', 'allow_unpriced']);
    expect(logs).toMatchObject({
      inPath: ['organization'],
      query: expect.arrayContaining(['cursor', 'time_zone']),
    });
    expect(routes.filter(({ method, body }) => method === 'PATCH' && body === null)).toEqual([]);
  });

  it.each(routesWithBody)('$name refuses what a field cannot be', async (route) => {
    const { body } = route;
    const cases = body.fields.flatMap((field) => {
      const within = body.fields.filter((other) => other.startsWith(`${field}.`));
      // The innermost name, also of a field that an object in this field lacks.
      const names = [field, ...within].map((name) => name.split('.').at(-1) ?? '');
      const values = body.required.includes(field) ? [...badJsonValues, undefined] : badJsonValues;
      return values.map((value): Case => {
        const requested = bodyWith(body, field, value);
        return {
          name: `${field} ${shown(value)}`,
          send: () => call(route, pathOf(route), JSON.stringify(requested)),
          expected: body.accepts(requested) ? { names: [...names, null] } : { status: 400, names },
        };
      });
    });

    await expectRefusals(cases);
  });

  it.each(routesWithBody)('$name refuses other bodies', async (route) => {
    const [field = ''] = route.body.fields;
    const tooLarge = JSON.stringify(bodyWith(route.body, field, 'x'.repeat(1_000_000)));
    const unknownField = JSON.stringify(bodyWith(route.body, 'unknown_field', 1));
    const bodies: [text: string, expected: Expectation][] = [
      ...badBodies.map((text): [string, Expectation] => [text, { status: 400, names: ['body'] }]),
      [tooLarge, { status: 413, names: ['body'] }],
      [unknownField, { status: 400, names: ['unknown_field'] }],
    ];

    await expectRefusals(
      bodies.map(([text, expected]) => ({
        name: shown(text),
        send: () => call(route, pathOf(route), text),
        expected,
      })),
    );
  });

  it.each(routes.filter(({ query }) => query.length > 0))(
    '$name refuses what its query cannot be',
    async (route) => {
      // Navigations lead to the dashboard's first page instead of one that is not the dashboard's.
      const status = route.path === '/sign-in' ? undefined : 400;
      const cases = route.query.flatMap((name) => [
        ...badQueryValues.map((value) => ({ query: `${name}=${value}`, expected: { names: [name] } })),
        ...[`${name}=`, `${name}=1&${name}=1`].map((query) => ({
          query,
          expected: { status, names: [name] },
        })),
      ]);

      await expectRefusals(
        cases.map(({ query, expected }) => ({
          name: query.slice(0, 40),
          send: () => call(route, `${pathOf(route)}?${query}`),
          expected,
        })),
      );
    },
  );

  it.each(routes.filter(({ inPath }) => inPath.length > 0))(
    '$name refuses what its path cannot be',
    async (route) => {
      const parts = route.inPath.flatMap((name) => badPathParts.map((value) => ({ name, value })));
      const body = route.method === 'GET' ? undefined : '{}';
      const statuses = await Promise.all(
        parts.map(async (part) => (await untilAdmitted(() => call(route, pathOf(route, part), body))).status),
      );

      expect(new Set(statuses.filter((status) => status < 400 || status >= 500))).toEqual(new Set());
    },
  );
});

describe('The public API', () => {
  const id = '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01';

  async function call({ method }: PublicOperation, target: string, init: RequestInit = {}): Promise<Outcome> {
    const headers = { authorization: `Bearer ${gateway.apiKey}`, ...init.headers };
    return outcomeOf(await fetch(gateway.baseUrl + target, { method, ...init, headers }));
  }

  function bodyOf({ path, fields }: PublicOperation): Record<string, unknown> {
    const model = path === '/ai/embeddings' ? 'demo/demo-embedding' : 'demo/demo-1';
    const valid = { model, messages: [{ role: 'user', content: 'Hello!' }], input: 'Hello!', max_tokens: 1 };
    return Object.fromEntries(Object.entries(valid).filter(([name]) => fields.includes(name)));
  }

  const withBody = publicOperations.filter(({ fields }) => fields.length > 0);
  it.each(withBody)('$name refuses what a field cannot be, or passes it on', async (operation) => {
    const cases = operation.fields.flatMap((field) =>
      badJsonValues.map((value) => {
        const body = JSON.stringify({ ...bodyOf(operation), [field]: value });
        return {
          name: `${field} ${shown(value)}`,
          send: () => call(operation, operation.path, { body }),
          expected: { names: [field] },
        };
      }),
    );

    await expectRefusals(cases);
  });

  const withNames = publicOperations.filter(({ query, headers }) => query.length + headers.length > 0);
  it.each(withNames)('$name refuses what its query and its headers cannot be', async (operation) => {
    const target = operation.path.replace('{id}', operation.path === '/ai/models/{id}' ? 'demo/demo-1' : id);
    const body = operation.fields.length === 0 ? undefined : JSON.stringify(bodyOf(operation));
    const query = operation.query.flatMap((name) =>
      ['', ...badQueryValues].map((value) => ({
        name: `${name}=${value.slice(0, 20)}`,
        send: () => call(operation, `${target}?${name}=${value}`),
        expected: { names: [name] },
      })),
    );
    const headers = operation.headers.flatMap((name) =>
      ['', 'x'.repeat(5000), '\u009b'].map((value) => ({
        name: `${name}: ${value.slice(0, 20)}`,
        send: () => call(operation, target, { body, headers: { [name]: value } }),
        expected: { names: [name] },
      })),
    );

    await expectRefusals([...query, ...headers]);
  });

  it.each(publicOperations.filter(({ inPath }) => inPath.length > 0))(
    '$name refuses what its path cannot be',
    async (operation) => {
      const cases = badPathParts.map((value) => ({
        name: value.slice(0, 20),
        send: () => call(operation, operation.path.replace('{id}', value)),
        expected: { names: [null] },
      }));

      await expectRefusals(cases);
    },
  );
});
