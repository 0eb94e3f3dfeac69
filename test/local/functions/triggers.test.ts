import { describe, expect, it } from 'vitest';
import type { FunctionFleet } from '#local/functions/fleet.ts';
import type { HostedFunction, InvocationRequest } from '#local/functions/host.ts';
import { assertTriggerPermissions, invokeTrigger } from '#local/functions/triggers.ts';
import type { InvocationOutcome } from '#local/functions/worker.ts';
import { readInvokePermissions } from '#local/permissions/invoke-permissions.ts';
import { createStackFixture } from '../stack-fixture.ts';

const functionArn = 'arn:aws:lambda:us-east-1:000000000000:function:SignUp';

function createFleet(outcome: InvocationOutcome) {
  const requests: InvocationRequest[] = [];
  const signUp: HostedFunction = {
    definition: {
      logicalId: 'SignUp',
      name: 'SignUp',
      functionName: 'SignUp',
      arn: functionArn,
      roleLogicalId: '',
      codeDirectory: '',
      environment: {},
      timeoutSeconds: 5,
      memoryMb: 128,
    },
    warmUp: async () => {},
    processIds: () => [],
    async invoke(request) {
      requests.push(request);
      return outcome;
    },
    stop: async () => {},
  };
  const fleet: Pick<FunctionFleet, 'find'> = { find: () => signUp };
  return { fleet, requests };
}

describe('invokeTrigger', () => {
  it('resolves to the event that the function returns', async () => {
    const { fleet, requests } = createFleet({
      kind: 'returned',
      payload: '{"response":{"autoConfirmUser":true}}',
    });
    const result = await invokeTrigger(fleet, `${functionArn}:live`, { userName: 'u1' });

    expect(result).toEqual({ response: { autoConfirmUser: true } });
    expect(requests).toEqual([{ event: '{"userName":"u1"}', qualifier: 'live' }]);
  });

  it('rejects with the message of the error that the function throws', async () => {
    const error = { errorType: 'Error', errorMessage: 'Ask your administrator for an invitation' };
    const { fleet } = createFleet({ kind: 'failed', error });

    await expect(invokeTrigger(fleet, functionArn, {})).rejects.toThrow(error.errorMessage);
  });

  it('rejects when the function is throttled', async () => {
    const { fleet } = createFleet({ kind: 'throttled' });

    await expect(invokeTrigger(fleet, functionArn, {})).rejects.toThrow('Rate Exceeded.');
  });
});

describe('assertTriggerPermissions', () => {
  const userPool = {
    Type: 'AWS::Cognito::UserPool',
    Properties: {
      LambdaConfig: {
        PreSignUp: functionArn,
        PreTokenGenerationConfig: { LambdaArn: functionArn, LambdaVersion: 'V2_0' },
      },
    },
  };

  const check = (permission: Record<string, unknown>) => () => {
    const stack = createStackFixture({
      UserPool: userPool,
      Permission: {
        Type: 'AWS::Lambda::Permission',
        Properties: {
          Action: 'lambda:InvokeFunction',
          FunctionName: functionArn,
          Principal: 'cognito-idp.amazonaws.com',
          SourceArn: { 'Fn::GetAtt': ['UserPool', 'Arn'] },
          ...permission,
        },
      },
    });
    assertTriggerPermissions({
      stack,
      functions: createFleet({ kind: 'throttled' }).fleet,
      permissions: readInvokePermissions(stack.template, stack.resolve),
    });
  };

  it('accepts the permission of the user pool', () => {
    expect(check({})).not.toThrow();
  });

  it.each([
    ['another service', { Principal: 'apigateway.amazonaws.com' }],
    [
      'another user pool',
      { SourceArn: 'arn:aws:cognito-idp:us-east-1:000000000000:userpool/us-east-1_other' },
    ],
    ['an alias', { FunctionName: `${functionArn}:live` }],
  ])('rejects the permission of %s', (_, permission) => {
    expect(check(permission)).toThrow(
      'The stack has no AWS::Lambda::Permission that allows lambda:InvokeFunction on SignUp to its caller',
    );
  });
});
