/** Serves the requests of all endpoints, as the template defines. */

import { hasDistribution, readDistribution } from '../cloudfront/distribution.ts';
import { connectToRestApi } from '../cloudfront/rest-api-origin.ts';
import { createDistributionServer } from '../cloudfront/server.ts';
import type { LocalUserPool } from '../cognito/start.ts';
import type { FunctionFleet } from '../functions/fleet.ts';
import type { HostedFunction } from '../functions/host.ts';
import { assertTriggerPermissions } from '../functions/triggers.ts';
import { localAccountId } from '../identities.ts';
import type { Endpoints } from '../listeners/endpoints.ts';
import { withAccessLog, withResponseMetrics } from '../listeners/http-listener.ts';
import { LocalGatewayError } from '../local-gateway-error.ts';
import type { Monitor } from '../monitoring/monitor.ts';
import { withMetricsPage } from '../monitoring/page.ts';
import {
  type InvocationTarget,
  type InvokePermissions,
  readInvokePermissions,
} from '../permissions/invoke-permissions.ts';
import type { RunContext } from '../run-context.ts';
import { readDeployedObjects } from '../s3/deployed-objects.ts';
import type { LocalStack } from '../template/local-stack.ts';
import { type Resource, resourcesOfType, type Template } from '../template/template.ts';
import { asObject, asString, numberOr, optionalString } from '../untyped-json.ts';
import { createFunctionUrlServer, readFunctionUrlMode } from './function-url-server.ts';
import { readGatewayResponses } from './gateway-responses.ts';
import { readMethodThrottles } from './method-throttles.ts';
import type { RestApiStage } from './rest-event.ts';
import { type RestRoute, readRestRoutes } from './rest-routes.ts';
import { createRestServer } from './rest-server.ts';

interface ServeOptions {
  run: RunContext;
  endpoints: Endpoints;
  stack: LocalStack;
  functions: FunctionFleet;
  /** `null` when the template has no user pool. */
  userPool: LocalUserPool | null;
  monitor: Monitor;
}

export function serveRequests(options: ServeOptions): void {
  const { run, endpoints, stack, functions, userPool } = options;
  const stage = readRestApiStage(stack.template, run.region);
  const permissions = readInvokePermissions(stack.template, stack.resolve);
  serveRestApi({ ...options, permissions, stage });
  serveFunctionUrl({ ...options, permissions });
  assertTriggerPermissions({ stack, functions, permissions });
  if (hasDistribution(stack.template)) serveDistribution(options);
  if (userPool !== null) endpoints.signIn.serve(userPool.listener);
}

function serveDistribution({ run, endpoints, stack }: ServeOptions): void {
  const restApi = connectToRestApi(endpoints.restApi.origin);
  run.resources.defer(restApi.close);
  endpoints.dashboard.serve(
    createDistributionServer({
      distribution: readDistribution(stack),
      publicOrigin: endpoints.dashboard.origin,
      buckets: readDeployedObjects(stack, new Date()),
      restApi,
      onError: run.log,
    }),
  );
}

function readRestApiStage(template: Template, region: string): RestApiStage {
  const api = onlyResource(template, 'AWS::ApiGateway::RestApi');
  const stage = onlyResource(template, 'AWS::ApiGateway::Stage');
  if (api.properties.BinaryMediaTypes !== undefined) {
    throw new LocalGatewayError(
      `${api.logicalId} has BinaryMediaTypes, which the local run does not emulate`,
    );
  }
  return { apiId: api.logicalId, stage: String(stage.properties.StageName), region };
}

function serveRestApi(options: ServeOptions & { permissions: InvokePermissions; stage: RestApiStage }): void {
  const { run, endpoints, stack, functions, permissions, stage, monitor } = options;
  const routes = readRestRoutes(stack.template, stack.resolve);
  assertInvokePermissions({ routes, functions, permissions, stage });
  const { logicalId, properties } = onlyResource(stack.template, 'AWS::ApiGateway::RestApi');
  const server = createRestServer({
    api: stage,
    routes,
    minCompressedBytes: numberOr(
      Number.POSITIVE_INFINITY,
      properties.MinimumCompressionSize,
      `${logicalId}.MinimumCompressionSize`,
    ),
    throttles: readMethodThrottles(onlyResource(stack.template, 'AWS::ApiGateway::Stage'), () =>
      performance.now(),
    ),
    gatewayResponse: readGatewayResponses(stack.template),
    functionsByArn: functions.byArn,
    reportDisconnects: run.reportDisconnects,
    onError: run.log,
  });
  const api = String(properties.Name);
  const measured = withResponseMetrics(server, (response) =>
    run.observe({ kind: 'API responded', api, stage: stage.stage, ...response }),
  );
  endpoints.restApi.serve(withMetricsPage(withAccessLog(measured, run.log), monitor, run.log));
}

function serveFunctionUrl(options: ServeOptions & { permissions: InvokePermissions }): void {
  const { run, endpoints, stack, functions, permissions } = options;
  const url = onlyResource(stack.template, 'AWS::Lambda::Url');
  const target = findFunctionUrlTarget(stack, functions);
  const qualifier = optionalString(url.properties.Qualifier, `${url.logicalId}.Qualifier`);
  permissions.requirePublicFunctionUrl(invocationTarget(target, qualifier));
  const server = createFunctionUrlServer({
    target,
    qualifier,
    streaming: readFunctionUrlMode(url).streaming,
    reportDisconnects: run.reportDisconnects,
    onError: run.log,
  });
  const invoked = { functionName: target.definition.functionName, qualifier };
  const measured = withResponseMetrics(server, ({ status }) =>
    run.observe({ kind: 'function URL responded', invoked, status }),
  );
  endpoints.functionUrl.serve(withAccessLog(measured, run.log));
}

function assertInvokePermissions(options: {
  routes: readonly RestRoute[];
  functions: FunctionFleet;
  permissions: InvokePermissions;
  stage: RestApiStage;
}): void {
  const { routes, functions, permissions, stage } = options;
  const api = `arn:aws:execute-api:${stage.region}:${localAccountId}:${stage.apiId}/${stage.stage}`;
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

/** Returns the chat function. */
export function findFunctionUrlTarget(
  stack: Pick<LocalStack, 'template' | 'resolve'>,
  functions: Pick<FunctionFleet, 'find'>,
): HostedFunction {
  const url = onlyResource(stack.template, 'AWS::Lambda::Url');
  const properties = asObject(stack.resolve(url.properties), url.logicalId);
  return functions.find(asString(properties.TargetFunctionArn, `${url.logicalId}.TargetFunctionArn`));
}

function onlyResource(template: Template, type: string): Resource {
  const [resource, ...others] = resourcesOfType(template, type);
  if (resource === undefined || others.length > 0) {
    throw new LocalGatewayError(
      `The local run requires exactly one ${type}; the stack has ${others.length + (resource ? 1 : 0)}`,
    );
  }
  return resource;
}
