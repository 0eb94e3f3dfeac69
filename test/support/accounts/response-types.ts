/** Compares responses of the dashboard's functions with the types that their `responses.ts` state for the routes. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { apiPath, findRoute, type RoutePath } from '#lambdas/accounts/http/router.ts';
import { fieldSchemas, type InterfaceName } from '../source/json-schemas.ts';

interface StatedRoute extends RoutePath {
  /** Such as `GET /organizations/{organization}/keys`, below `/dashboard/api`. */
  name: string;
  validate: ValidateFunction;
}

let routes: readonly StatedRoute[] | null = null;

/** The routes whose responses have a type, except for those of `testRequestRoutes`. The compiler needs a second for them, once in each process. */
export function statedRoutes(): readonly StatedRoute[] {
  routes ??= routesOf([
    { file: 'lambdas/accounts/sign-in/responses.ts', name: 'SignInResponses' },
    { file: 'lambdas/accounts/organizations/responses.ts', name: 'OrganizationsResponses' },
    { file: 'lambdas/accounts/analytics/responses.ts', name: 'AnalyticsResponses' },
  ]);
  return routes;
}

/** The function `TestRequest` passes on what the public API returns. The types state only the fields that the page reads. */
export function testRequestRoutes(): StatedRoute[] {
  return routesOf([{ file: 'lambdas/accounts/test-request/responses.ts', name: 'TestResponses' }]);
}

function routesOf(interfaces: readonly InterfaceName[]): StatedRoute[] {
  const { fields, $defs } = fieldSchemas(interfaces);
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  return [...fields].map(([name, schema]) => {
    const [method = '', path = ''] = name.split(' ');
    const validate = ajv.compile({ ...schema, $defs });
    return { name, method: method as RoutePath['method'], path: apiPath + path, validate };
  });
}

/** Returns a message for each difference between a body and the type of its route. */
export function typeErrors({ validate }: StatedRoute, body: unknown): string[] {
  validate(body);
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const field = 'additionalProperty' in params ? `: ${params.additionalProperty}` : '';
    return `${instancePath} ${message}${field}`;
  });
}

/** Like `typeErrors`, for types that state only some of the fields. */
export function statedFieldErrors(route: StatedRoute, body: unknown): string[] {
  return typeErrors(route, body).filter((error) => !error.includes(' additional properties: '));
}

interface ReceivedResponse {
  status: number;
  headers: Readonly<Record<string, unknown>>;
  text: string;
}

/** `path` is below `/dashboard/api`. Throws an `Error` for a response that has not failed and is not of the type of its route. */
export function assertStatedType(method: string, path: string, response: ReceivedResponse): void {
  const { status, headers, text } = response;
  if (status >= 400 || String(headers['content-type']).startsWith('text/csv')) return;
  const { route } = findRoute(statedRoutes(), { method, path: apiPath + path });
  const errors = typeErrors(route, text === '' ? null : JSON.parse(text));
  if (errors.length > 0) throw new Error(`${route.name} is not of its type:\n${errors.join('\n')}`);
}
