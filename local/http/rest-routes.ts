import { LocalGatewayError } from '../local-gateway-error.ts';
import { type Resource, resourcesOfType, type Template } from '../template/template.ts';
import { asObject, asString, type JsonObject, numberOr } from '../untyped-json.ts';

export type Integration =
  | {
      kind: 'function';
      functionArn: string;
      qualifier: string | undefined;
      streaming: boolean;
      timeoutMs: number;
    }
  | { kind: 'mock'; properties: JsonObject };

export interface RestRoute {
  /** Such as `/api/logs/{id}`. */
  resourcePath: string;
  resourceId: string;
  /** By HTTP method; `ANY` applies to all methods without an entry. */
  integrations: ReadonlyMap<string, Integration>;
}

export interface RouteMatch {
  route: RestRoute;
  pathParameters: Record<string, string> | null;
  integration: Integration | undefined;
}

const defaultTimeoutMs = 29_000;

/** Returns the most specific routes first. */
export function readRestRoutes(template: Template, resolve: (value: unknown) => unknown): RestRoute[] {
  const routes = new Map<string, { route: RestRoute; integrations: Map<string, Integration> }>();
  for (const method of resourcesOfType(template, 'AWS::ApiGateway::Method')) {
    const properties = asObject(resolve(method.properties), method.logicalId);
    assertSupported(method, properties);
    const resourceId = asString(properties.ResourceId, `${method.logicalId}.ResourceId`);
    let entry = routes.get(resourceId);
    if (entry === undefined) {
      const integrations = new Map<string, Integration>();
      entry = {
        integrations,
        route: { resourceId, resourcePath: pathOf(template, resourceId), integrations },
      };
      routes.set(resourceId, entry);
    }
    const httpMethod = asString(properties.HttpMethod, `${method.logicalId}.HttpMethod`);
    entry.integrations.set(httpMethod, readIntegration(method, properties));
  }
  return [...routes.values()].map(({ route }) => route).sort(bySpecificity);
}

/**
 * Returns `undefined` when no resource matches. Precedence of segments: literal, `{name}`, `{name+}`. A trailing slash is
 * ignored: https://github.com/aws-powertools/powertools-lambda-python/issues/1552
 */
export function matchRoute(
  routes: readonly RestRoute[],
  method: string,
  path: string,
): RouteMatch | undefined {
  for (const route of routes) {
    const parameters = matchPath(route.resourcePath, path);
    if (parameters === null) continue;
    return {
      route,
      pathParameters: Object.keys(parameters).length > 0 ? parameters : null,
      integration: route.integrations.get(method) ?? route.integrations.get('ANY'),
    };
  }
  return undefined;
}

function pathOf(template: Template, resourceId: string): string {
  if (resourceId.endsWith('/root')) return '/';
  const resource = template.resources.get(resourceId);
  if (resource?.type !== 'AWS::ApiGateway::Resource')
    throw new LocalGatewayError(`${resourceId} is not a resource`);
  const parent = asObject(resource.properties.ParentId, `${resourceId}.ParentId`);
  const parentPath = typeof parent.Ref === 'string' ? pathOf(template, parent.Ref) : '/';
  const pathPart = asString(resource.properties.PathPart, `${resourceId}.PathPart`);
  return parentPath === '/' ? `/${pathPart}` : `${parentPath}/${pathPart}`;
}

function readIntegration(method: Resource, properties: JsonObject): Integration {
  const where = `${method.logicalId}.Integration`;
  const integration = asObject(properties.Integration, where);
  if (integration.Type === 'MOCK') return { kind: 'mock', properties: integration };
  if (integration.Type !== 'AWS_PROXY') {
    throw new LocalGatewayError(
      `${where} has the type ${integration.Type}: the local run supports AWS_PROXY and MOCK`,
    );
  }
  const uri = asString(integration.Uri, `${where}.Uri`);
  const target = uri.match(
    /\/functions\/(arn:[^/]*:function:[^/:]+)(?::([^/]+))?\/(response-streaming-)?invocations$/,
  );
  if (target === null) throw new LocalGatewayError(`${where}.Uri does not invoke a function: ${uri}`);
  const [, functionArn = '', qualifier, streamingPrefix] = target;
  const streaming = integration.ResponseTransferMode === 'STREAM';
  if (streaming !== (streamingPrefix !== undefined)) {
    throw new LocalGatewayError(`${where}: ResponseTransferMode does not match the invocation type in Uri`);
  }
  const timeoutMs = numberOr(defaultTimeoutMs, integration.TimeoutInMillis, `${where}.TimeoutInMillis`);
  return { kind: 'function', functionArn, qualifier, streaming, timeoutMs };
}

function assertSupported(method: Resource, properties: JsonObject): void {
  const { AuthorizationType: authorization = 'NONE', ApiKeyRequired: apiKeyRequired = false } = properties;
  if (authorization !== 'NONE' || apiKeyRequired !== false || properties.RequestValidatorId !== undefined) {
    throw new LocalGatewayError(
      `${method.logicalId} has an authorizer, an API key or a request validator, which the local run does not emulate`,
    );
  }
}

function bySpecificity(first: RestRoute, second: RestRoute): number {
  const [one, other] = [first, second].map(({ resourcePath }) => resourcePath.split('/').map(rankOfSegment));
  for (let index = 0; index < Math.max(one?.length ?? 0, other?.length ?? 0); index++) {
    const difference = (one?.[index] ?? 3) - (other?.[index] ?? 3);
    if (difference !== 0) return difference;
  }
  return 0;
}

function rankOfSegment(segment: string): number {
  if (segment.endsWith('+}')) return 2;
  return segment.startsWith('{') ? 1 : 0;
}

function matchPath(resourcePath: string, path: string): Record<string, string> | null {
  const parameters: Record<string, string> = {};
  const actual = (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path).split('/');
  const segments = resourcePath.split('/');
  for (const [index, segment] of segments.entries()) {
    const value = actual[index] ?? '';
    const name = segment.match(/^\{(.+?)(\+?)\}$/);
    if (name === null) {
      if (segment !== value || actual[index] === undefined) return null;
      continue;
    }
    const greedy = name[2] === '+';
    const text = greedy ? actual.slice(index).join('/') : value;
    if (text === '') return null;
    parameters[name[1] ?? ''] = decode(text);
    if (greedy) return parameters;
  }
  return actual.length === segments.length ? parameters : null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
