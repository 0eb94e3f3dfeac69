/**
 * Checks the resource-based policies of functions, which the template's `AWS::Lambda::Permission` resources define.
 *
 * Without a permission AWS returns 500 (REST API) or 403 (function URL), refuses every sign-up and sign-in (user pool), or
 * does not invoke the function (rule); the local run fails to start.
 */

import { LocalGatewayError } from '../local-gateway-error.ts';
import { resourcesOfType, type Template } from '../template/template.ts';
import { asObject, asString, type JsonObject, optionalString } from '../untyped-json.ts';
import { matchesPattern } from './policies.ts';

export interface InvokePermissions {
  /** `sourceArn` is the ARN of the method: `arn:aws:execute-api:<region>:<account>:<api>/<stage>/<method>/<path>`. */
  requireRestApi(target: InvocationTarget, sourceArn: string): void;
  /** A public URL requires permission for the URL and, since October 2025, for the function. */
  requirePublicFunctionUrl(target: InvocationTarget): void;
  requireUserPool(target: InvocationTarget, userPoolArn: string): void;
  requireRule(target: InvocationTarget, ruleArn: string): void;
}

export interface InvocationTarget {
  functionName: string;
  functionArn: string;
  qualifier: string | undefined;
}

export function readInvokePermissions(
  template: Template,
  resolve: (value: unknown) => unknown,
): InvokePermissions {
  const permissions = resourcesOfType(template, 'AWS::Lambda::Permission').map(({ logicalId, properties }) =>
    asObject(resolve(properties), logicalId),
  );

  function require(
    target: InvocationTarget,
    action: string,
    isSufficient: (permission: JsonObject) => boolean,
  ): void {
    const found = permissions.some(
      (permission) =>
        permission.Action === action && appliesTo(permission, target) && isSufficient(permission),
    );
    if (found) return;
    const name = [target.functionName, target.qualifier].filter(Boolean).join(':');
    throw new LocalGatewayError(
      `The stack has no AWS::Lambda::Permission that allows ${action} on ${name} to its caller`,
    );
  }

  function requireService(target: InvocationTarget, service: string, sourceArn: string): void {
    require(target, 'lambda:InvokeFunction', ({ Principal, SourceArn }) => {
      const pattern = optionalString(SourceArn, 'SourceArn') ?? '*';
      return Principal === service && matchesPattern(pattern, sourceArn);
    });
  }

  return {
    requireRestApi: (target, sourceArn) => requireService(target, 'apigateway.amazonaws.com', sourceArn),
    requireRule: (target, arn) => requireService(target, 'events.amazonaws.com', arn),
    requireUserPool: (target, arn) => requireService(target, 'cognito-idp.amazonaws.com', arn),
    requirePublicFunctionUrl(target) {
      const isPublic = ({ Principal }: JsonObject) => Principal === '*';
      require(target, 'lambda:InvokeFunctionUrl', (permission) => {
        return isPublic(permission) && permission.FunctionUrlAuthType === 'NONE';
      });
      require(target, 'lambda:InvokeFunction', (permission) => {
        return isPublic(permission) && permission.InvokedViaFunctionUrl === true;
      });
    },
  };
}

/** A permission applies either to the unqualified function or to one alias or version. */
function appliesTo(
  { FunctionName }: JsonObject,
  { functionName, functionArn, qualifier }: InvocationTarget,
): boolean {
  const suffix = qualifier === undefined ? '' : `:${qualifier}`;
  const permitted = asString(FunctionName, 'FunctionName');
  return permitted === `${functionName}${suffix}` || permitted === `${functionArn}${suffix}`;
}
