/** Checks that every service that invokes a function has an `AWS::Lambda::Permission` for it, and no broader one. */

import { readRestRoutes } from '#local/http/rest-routes.ts';
import { localAccountId } from '#local/identities.ts';
import { LocalGatewayError } from '#local/local-gateway-error.ts';
import { type InvocationTarget, readInvokePermissions } from '#local/permissions/invoke-permissions.ts';
import { asList, isObject, type JsonObject } from '#local/untyped-json.ts';
import { findActions } from './iam-actions.ts';
import { type ResolvedTemplate, region } from './resolver.ts';
import { type Finding, resourcesOfType, type Template } from './template.ts';

export async function checkInvocations(template: Template, resolved: ResolvedTemplate): Promise<Finding[]> {
  const permissions = readInvokePermissions(resolved.localTemplate, resolved.resolve);
  const missing = invocations(template, resolved).flatMap(({ path, functionArn, caller }) => {
    try {
      if (caller.kind === 'url') permissions.requirePublicFunctionUrl(targetOf(functionArn));
      else permissions[caller.kind](targetOf(functionArn), caller.arn);
      return [];
    } catch (error) {
      if (!(error instanceof LocalGatewayError)) throw error;
      return [`${path}: ${error.message}: add it`];
    }
  });
  const granted = resourcesOfType(template, 'AWS::Lambda::Permission').map(([logicalId, properties]) =>
    checkPermission(logicalId, resolved.resolve(properties) as JsonObject),
  );
  return [...missing, ...(await Promise.all(granted)).flat()];
}

interface Invocation {
  path: string;
  /** May end with a qualifier. */
  functionArn: string;
  caller: { kind: 'url' } | { kind: 'requireRestApi' | 'requireRule' | 'requireUserPool'; arn: string };
}

function invocations(template: Template, resolved: ResolvedTemplate): Invocation[] {
  const properties = (type: string) =>
    resourcesOfType(template, type).map(
      ([logicalId, unresolved]) => [logicalId, resolved.resolve(unresolved) as JsonObject] as const,
    );
  const arnOf = (logicalId: string) => String(resolved.resolve({ 'Fn::GetAtt': [logicalId, 'Arn'] }));
  const urls = properties('AWS::Lambda::Url').map(([logicalId, { TargetFunctionArn, Qualifier }]) => ({
    path: `${logicalId}.Properties.TargetFunctionArn`,
    functionArn: [TargetFunctionArn, Qualifier].filter((part) => part !== undefined).join(':'),
    caller: { kind: 'url' as const },
  }));
  const rules = properties('AWS::Events::Rule').flatMap(([logicalId, { Targets }]) =>
    asList(Targets).map((target, index) => ({
      path: `${logicalId}.Properties.Targets[${index}].Arn`,
      functionArn: String((target as JsonObject).Arn),
      caller: { kind: 'requireRule' as const, arn: arnOf(logicalId) },
    })),
  );
  const triggers = properties('AWS::Cognito::UserPool').flatMap(([logicalId, { LambdaConfig = {} }]) =>
    Object.entries(LambdaConfig as JsonObject).map(([name, trigger]) => ({
      path: `${logicalId}.Properties.LambdaConfig.${name}`,
      functionArn: String(isObject(trigger) ? trigger.LambdaArn : trigger),
      caller: { kind: 'requireUserPool' as const, arn: arnOf(logicalId) },
    })),
  );
  return [...urls, ...rules, ...triggers, ...methodInvocations(properties, resolved)].filter(
    ({ functionArn }) => functionArn.includes(':function:'),
  );
}

function methodInvocations(
  properties: (type: string) => (readonly [logicalId: string, JsonObject])[],
  { localTemplate, resolve }: ResolvedTemplate,
): Invocation[] {
  const paths = new Map(
    readRestRoutes(localTemplate, resolve).map(({ resourceId, resourcePath }) => [resourceId, resourcePath]),
  );
  const stages = properties('AWS::ApiGateway::Stage').map(([, stage]) => stage);
  return properties('AWS::ApiGateway::Method').flatMap(([logicalId, method]) => {
    const { RestApiId: api, ResourceId, HttpMethod, Integration = {} } = method;
    const [, functionArn] = /\/functions\/(.+)\/[\w-]+$/.exec(String((Integration as JsonObject).Uri)) ?? [];
    if (functionArn === undefined) return [];
    return stages
      .filter(({ RestApiId }) => RestApiId === api)
      .map(({ StageName }) => ({
        path: `${logicalId}.Properties.Integration.Uri`,
        functionArn,
        caller: {
          kind: 'requireRestApi' as const,
          arn: `arn:aws:execute-api:${region}:${localAccountId}:${api}/${StageName}/${HttpMethod}${paths.get(String(ResourceId))}`,
        },
      }));
  });
}

function targetOf(functionArn: string): InvocationTarget {
  const [name, qualifier] = functionArn.split(':').slice(6);
  const unqualified = functionArn.split(':').slice(0, 7).join(':');
  return { functionName: name ?? '', functionArn: unqualified, qualifier };
}

/** Services whose ARNs do not begin with their principal's name. */
const arnServices: Record<string, string> = { apigateway: 'execute-api' };

/** Without the ARN of the caller, resources of other accounts could invoke the function through the service. */
async function checkPermission(
  logicalId: string,
  { Action, Principal, SourceArn }: JsonObject,
): Promise<Finding[]> {
  const path = `${logicalId}.Properties`;
  const [, principal = ''] = /^([\w-]+)\.amazonaws\.com$/.exec(String(Principal)) ?? [];
  const service = arnServices[principal] ?? principal;
  const isRestricted = principal === '' || String(SourceArn).startsWith(`arn:aws:${service}:`);
  return [
    ...((await findActions(String(Action))).length === 1
      ? []
      : [`${path}.Action: no action ${Action} exists: correct it`]),
    ...(isRestricted
      ? []
      : [`${path}.SourceArn: is ${SourceArn}: set it to the ARN of a ${service} resource`]),
  ];
}
