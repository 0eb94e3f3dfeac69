/** The user pool's API, as far as the project uses it. https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/ */
import { type AwsCall, sendAwsError, sendAwsJson, sendUnknownOperation } from '#local/aws/call.ts';
import type { JsonObject } from '#local/untyped-json.ts';
import { CognitoError } from '../cognito-error.ts';
import type { UserPool } from '../user-pool.ts';
import { operatorOperations } from './operator-operations.ts';
import { userOperations } from './user-operations.ts';

export function handleApiCall(pool: UserPool, call: AwsCall): void {
  const { operation, response } = call;
  try {
    const result = perform(pool, call);
    if (result !== undefined) sendAwsJson(response, result);
  } catch (error) {
    if (!(error instanceof CognitoError)) throw error;
    sendAwsError(response, { status: 400, type: error.type, message: error.message });
  }

  function perform(pool: UserPool, { body, authorize }: AwsCall): JsonObject | undefined {
    const forUser = userOperations[operation];
    if (forUser !== undefined) return forUser(pool, body);
    const forOperator = operatorOperations[operation];
    if (forOperator === undefined) {
      sendUnknownOperation(response, `cognito-idp:${operation}`);
      return undefined;
    }
    if (!authorize([{ action: `cognito-idp:${operation}`, resource: pool.settings.arn }])) return undefined;
    if (body.UserPoolId !== pool.settings.id) {
      throw new CognitoError('ResourceNotFoundException', `User pool ${body.UserPoolId} does not exist.`);
    }
    return forOperator(pool, body);
  }
}
