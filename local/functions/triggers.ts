/** Lambda triggers of the template's user pool. */
import type { InvokePermissions } from '../permissions/invoke-permissions.ts';
import type { LocalStack } from '../template/local-stack.ts';
import { resourcesOfType } from '../template/template.ts';
import { asObject, asString, isObject, parseJson } from '../untyped-json.ts';
import type { FunctionFleet } from './fleet.ts';

export function assertTriggerPermissions(options: {
  stack: Pick<LocalStack, 'template' | 'resolve'>;
  functions: Pick<FunctionFleet, 'find'>;
  permissions: InvokePermissions;
}): void {
  const { stack, functions, permissions } = options;
  for (const { logicalId, properties } of resourcesOfType(stack.template, 'AWS::Cognito::UserPool')) {
    const userPoolArn = asString(stack.resolve({ 'Fn::GetAtt': [logicalId, 'Arn'] }), logicalId);
    const triggers = asObject(stack.resolve(properties.LambdaConfig ?? {}), `${logicalId}.LambdaConfig`);
    for (const trigger of Object.values(triggers)) {
      const arn = isObject(trigger) ? trigger.LambdaArn : trigger;
      const { definition } = functions.find(asString(arn, `${logicalId}.LambdaConfig`));
      const target = {
        functionName: definition.functionName,
        functionArn: definition.arn,
        qualifier: qualifierOf(String(arn)),
      };
      permissions.requireUserPool(target, userPoolArn);
    }
  }
}

/** Resolves to the result of the function. Rejects with the message of its error. */
export async function invokeTrigger(
  functions: Pick<FunctionFleet, 'find'>,
  functionArn: string,
  event: unknown,
): Promise<unknown> {
  const target = functions.find(functionArn);
  const outcome = await target.invoke({ event: JSON.stringify(event), qualifier: qualifierOf(functionArn) });
  if (outcome.kind === 'returned') return parseJson(outcome.payload);
  if (outcome.kind === 'failed') throw new Error(outcome.error.errorMessage);
  throw new Error(outcome.kind === 'throttled' ? 'Rate Exceeded.' : 'A trigger cannot stream its response');
}

/** Returns the alias or version of a function's ARN. */
function qualifierOf(functionArn: string): string | undefined {
  return functionArn.split(':')[7];
}
