/**
 * The parameters of the dashboard's routes, as their handlers read them, so that none can be forgotten. For test files that spy on
 * `#lambdas/accounts/http/request.ts` and `#lambdas/platform/http/query.ts`.
 */
import { vi } from 'vitest';
import { z } from 'zod';
import { routes as analyticsRoutes } from '#lambdas/accounts/analytics/handler.ts';
import { readBody } from '#lambdas/accounts/http/request.ts';
import { apiPath, type RoutePath } from '#lambdas/accounts/http/router.ts';
import { routes as organizationRoutes } from '#lambdas/accounts/organizations/handler.ts';
import { routes as sessionRoutes } from '#lambdas/accounts/sign-in/handler.ts';
import { testRoutes } from '#lambdas/accounts/test-request/gateway-request.ts';
import { readQueryParameters } from '#lambdas/platform/http/query.ts';

export interface RouteParameters {
  method: string;
  /** Below `/dashboard/api`. */
  path: string;
  /** `null` for a route without a body. */
  body: BodyFields | null;
  /** Sorted. */
  query: string[];
  inPath: string[];
}

export interface BodyFields {
  /** Fields of objects in fields are `outer.inner`. */
  fields: string[];
  required: string[];
  accepts(body: unknown): boolean;
}

interface JsonSchema {
  properties?: Record<string, JsonSchema>;
  required?: string[];
  anyOf?: JsonSchema[];
}

type Handle = (call: unknown, dependencies: unknown) => Promise<unknown>;

export function dashboardRoutes(): Promise<RouteParameters[]> {
  const handlers: (RoutePath & { handle: Handle })[] = [
    ...[...sessionRoutes, ...organizationRoutes, ...analyticsRoutes].map(({ method, path, handle }) => ({
      method,
      path,
      handle: handle as Handle,
    })),
    ...testRoutes.map(({ method, path, read }) => ({ method, path, handle: read as Handle })),
  ];
  return handlers.reduce<Promise<RouteParameters[]>>(
    async (earlier, route) => [...(await earlier), await parametersOf(route)],
    Promise.resolve([]),
  );
}

async function parametersOf({
  method,
  path,
  handle,
}: RoutePath & { handle: Handle }): Promise<RouteParameters> {
  vi.mocked(readBody).mockClear();
  vi.mocked(readQueryParameters).mockClear();
  const query = new Set<string>();
  const call = {
    method,
    path,
    headers: {},
    cookies: new Map(),
    parameters: {},
    query: new Proxy({}, { get: (_, name) => void query.add(String(name)) }),
    readBody: () => '{}',
    organization: { id: 'org_unknown' },
    membership: nothing,
    session: nothing,
    user: nothing,
  };
  // The parameters are read first. Then it fails, without dependencies.
  await Promise.resolve()
    .then(() => handle(call, dependencies))
    .catch(() => {});
  const names = vi.mocked(readQueryParameters).mock.calls.flatMap(([, accepted]) => accepted);
  const schema = vi.mocked(readBody).mock.calls[0]?.[1];
  return {
    method,
    path: path.slice(apiPath.length),
    body: schema === undefined ? null : bodyFields(schema),
    query: [...new Set([...query, ...names])].sort(),
    inPath: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
  };
}

/** Has a clock and a text. Each other property is again the same, and a call of it fails. */
const nothing: object = new Proxy(() => {}, {
  get(_, name) {
    if (name === 'now') return () => new Date();
    if (name === Symbol.toPrimitive) return () => 'nothing';
    return name === 'then' ? undefined : nothing;
  },
  apply() {
    throw new Error('There is no such dependency');
  },
});

const provider = { authorize: async () => ({ url: '', checks: {} }) };
const dependencies = new Proxy(
  { loadProvider: async () => provider },
  { get: (target, name) => Reflect.get(target, name) ?? Reflect.get(nothing, name) },
);

function bodyFields(schema: Parameters<typeof readBody>[1]): BodyFields {
  const description = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  return {
    fields: fieldNames(description),
    required: description.required ?? [],
    accepts: (body) => schema.safeParse(body).success,
  };
}

function fieldNames(schema: JsonSchema): string[] {
  return [schema, ...(schema.anyOf ?? [])].flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([name, property]) => [
      name,
      ...fieldNames(property).map((inner) => `${name}.${inner}`),
    ]),
  );
}
