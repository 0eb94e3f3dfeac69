/** The two addresses at which callers reach the gateway: the REST API, and the chat function's Function URL. */

import type { FunctionFleet } from '../functions/function-fleet.ts';
import type { HostedFunction } from '../functions/function-host.ts';
import { localAccountId } from '../identities.ts';
import { LocalGatewayError } from '../local-gateway-error.ts';
import type { Run } from '../run.ts';
import type { LocalStack } from '../template/local-stack.ts';
import { type Resource, resourcesOfType, type Template } from '../template/template.ts';
import { asObject, asText, optionalText } from '../untyped-json.ts';
import { createFunctionUrlServer, readFunctionUrlMode } from './function-url-server.ts';
import { readGatewayResponses } from './gateway-responses.ts';
import { type HttpListener, openHttpListener, withAccessLog } from './http-listener.ts';
import {
  type InvocationTarget,
  type InvokePermissions,
  readInvokePermissions,
} from './invoke-permissions.ts';
import { readMethodThrottles } from './method-throttles.ts';
import type { RestApiFacts } from './rest-event.ts';
import { type RestRoute, readRestRoutes } from './rest-routes.ts';
import { createRestServer } from './rest-server.ts';

export interface FrontDoors {
  rest: HttpListener;
  functionUrl: HttpListener;
  close(): Promise<void>;
}

/** Takes the ports; requests wait for `answerRequests`. */
export async function openFrontDoors({ port, resources }: Run): Promise<FrontDoors> {
  const rest = await openHttpListener(port);
  resources.defer(rest.close);
  const functionUrl = await openHttpListener(port === 0 ? 0 : port + 1);
  resources.defer(functionUrl.close);
  const close = async () => {
    await Promise.all([rest.close(), functionUrl.close()]);
  };
  return { rest, functionUrl, close };
}

interface GatewayParts {
  run: Run;
  doors: FrontDoors;
  stack: LocalStack;
  functions: FunctionFleet;
}

export function answerRequests(parts: GatewayParts): void {
  const { run, stack } = parts;
  const facts = readRestApiFacts(stack.template, run.region);
  const permissions = readInvokePermissions(stack.template, stack.resolve);
  answerRestApi({ ...parts, permissions, facts });
  answerFunctionUrl({ ...parts, permissions });
}

function readRestApiFacts(template: Template, region: string): RestApiFacts {
  const api = onlyResource(template, 'AWS::ApiGateway::RestApi');
  const stage = onlyResource(template, 'AWS::ApiGateway::Stage');
  if (api.properties.BinaryMediaTypes !== undefined) {
    throw new LocalGatewayError(
      `${api.logicalId} has BinaryMediaTypes, which the local run does not emulate`,
    );
  }
  return { apiId: api.logicalId, stage: String(stage.properties.StageName), region };
}

function answerRestApi(parts: GatewayParts & { permissions: InvokePermissions; facts: RestApiFacts }): void {
  const { run, doors, stack, functions, permissions, facts } = parts;
  const routes = readRestRoutes(stack.template, stack.resolve);
  refuseMissingPermissions({ routes, functions, permissions, facts });
  const server = createRestServer({
    api: facts,
    routes,
    throttles: readMethodThrottles(onlyResource(stack.template, 'AWS::ApiGateway::Stage'), () =>
      performance.now(),
    ),
    gatewayResponse: readGatewayResponses(stack.template),
    functions: functions.byArn,
    onProblem: run.log,
  });
  doors.rest.answerWith(withAccessLog(server, run.log));
}

function answerFunctionUrl(parts: GatewayParts & { permissions: InvokePermissions }): void {
  const { run, doors, stack, functions, permissions } = parts;
  const url = onlyResource(stack.template, 'AWS::Lambda::Url');
  const target = findTarget(url, stack, functions);
  const qualifier = optionalText(url.properties.Qualifier, `${url.logicalId}.Qualifier`);
  permissions.requirePublicFunctionUrl(invocationTarget(target, qualifier));
  const server = createFunctionUrlServer({
    target,
    qualifier,
    streaming: readFunctionUrlMode(url).streaming,
    onProblem: run.log,
  });
  doors.functionUrl.answerWith(withAccessLog(server, run.log));
}

function refuseMissingPermissions(parts: {
  routes: readonly RestRoute[];
  functions: FunctionFleet;
  permissions: InvokePermissions;
  facts: RestApiFacts;
}): void {
  const { routes, functions, permissions, facts } = parts;
  const api = `arn:aws:execute-api:${facts.region}:${localAccountId}:${facts.apiId}/${facts.stage}`;
  for (const { resourcePath, integrations } of routes) {
    for (const [method, integration] of integrations) {
      if (integration.kind !== 'function') continue;
      const target = invocationTarget(functions.find(integration.functionArn), integration.qualifier);
      permissions.requireRestApi(target, `${api}/${method}${resourcePath}`);
    }
  }
}

function invocationTarget({ definition }: HostedFunction, qualifier: string | undefined): InvocationTarget {
  return { functionName: definition.functionName, functionArn: definition.arn, qualifier };
}

function findTarget(url: Resource, stack: LocalStack, functions: FunctionFleet): HostedFunction {
  const properties = asObject(stack.resolve(url.properties), url.logicalId);
  return functions.find(asText(properties.TargetFunctionArn, `${url.logicalId}.TargetFunctionArn`));
}

function onlyResource(template: Template, type: string): Resource {
  const [resource, ...others] = resourcesOfType(template, type);
  if (resource === undefined || others.length > 0) {
    throw new LocalGatewayError(
      `The local run needs one ${type}; the stack has ${others.length + (resource ? 1 : 0)}`,
    );
  }
  return resource;
}
