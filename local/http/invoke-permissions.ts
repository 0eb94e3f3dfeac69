/**
 * Who may invoke a function: the resource-based policies that the template's `AWS::Lambda::Permission`s make.
 *
 * AWS answers 500 (REST API) or 403 (Function URL) without them; the local run does not start.
 */
import { matchesPattern } from '../aws/policies.ts';
import { LocalGatewayError } from '../local-gateway-error.ts';
import { resourcesOfType, type Template } from '../template/template.ts';
import { asObject, asText, type JsonObject, optionalText } from '../untyped-json.ts';

export interface InvokePermissions {
  /** `sourceArn` is the method's: `arn:aws:execute-api:<region>:<account>:<api>/<stage>/<method>/<path>`. */
  requireRestApi(target: InvocationTarget, sourceArn: string): void;
  /** Both: a URL without authorization needs one for the URL, and since October 2025 one for the function. */
  requirePublicFunctionUrl(target: InvocationTarget): void;
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
    isWanted: (permission: JsonObject) => boolean,
  ): void {
    const found = permissions.some(
      (permission) => permission.Action === action && isFor(permission, target) && isWanted(permission),
    );
    if (found) return;
    const name = [target.functionName, target.qualifier].filter(Boolean).join(':');
    throw new LocalGatewayError(`The stack has no permission ${action} on ${name} for those who call it`);
  }

  return {
    requireRestApi(target, sourceArn) {
      require(target, 'lambda:InvokeFunction', ({ Principal, SourceArn }) => {
        const pattern = optionalText(SourceArn, 'SourceArn') ?? '*';
        return Principal === 'apigateway.amazonaws.com' && matchesPattern(pattern, sourceArn);
      });
    },
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

/** A permission is on the function, or on one alias or version of it; it does not cover the other. */
function isFor(
  { FunctionName }: JsonObject,
  { functionName, functionArn, qualifier }: InvocationTarget,
): boolean {
  const suffix = qualifier === undefined ? '' : `:${qualifier}`;
  const wanted = asText(FunctionName, 'FunctionName');
  return wanted === `${functionName}${suffix}` || wanted === `${functionArn}${suffix}`;
}
