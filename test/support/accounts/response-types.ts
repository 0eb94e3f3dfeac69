/** Compares responses of the dashboard's functions with the types that their `responses.ts` state for the routes. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { apiPath, findRoute, type RoutePath } from '#lambdas/accounts/http/router.ts';
import { fieldSchemas } from '../source/json-schemas.ts';

interface StatedRoute extends RoutePath {
  /** Such as `GET /organizations/{organization}/keys`, below `/dashboard/api`. */
  name: string;
  validate: ValidateFunction;
}

let routes: readonly StatedRoute[] | null = null;

/** All routes whose responses have a type. The compiler needs a second for them, once in each process. */
export function statedRoutes(): readonly StatedRoute[] {
  routes ??= readStatedRoutes();
  return routes;
}

function readStatedRoutes(): StatedRoute[] {
  const { fields, $defs } = fieldSchemas([
    { file: 'lambdas/accounts/sign-in/responses.ts', name: 'SignInResponses' },
    { file: 'lambdas/accounts/organizations/responses.ts', name: 'OrganizationsResponses' },
    { file: 'lambdas/accounts/analytics/responses.ts', name: 'AnalyticsResponses' },
  ]);
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
