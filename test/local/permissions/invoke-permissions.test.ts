import { describe, expect, it } from 'vitest';
import { readInvokePermissions } from '#local/permissions/invoke-permissions.ts';
import { parseTemplate } from '#local/template/template.ts';

const target = { functionName: 'Chat', functionArn: 'arn:Chat', qualifier: 'live' };
const sourceArn = 'arn:aws:execute-api:us-east-1:000000000000:Api/prod/GET/logs/{id}';

function permissions(...list: object[]) {
  const resources = list.map((properties, index) => [
    `Permission${index}`,
    { Type: 'AWS::Lambda::Permission', Properties: { Action: 'lambda:InvokeFunction', ...properties } },
  ]);
  const template = { Resources: Object.fromEntries(resources) };
  return readInvokePermissions(parseTemplate({ stackName: 'S', template }), (value) => value);
}

describe('requireRestApi', () => {
  const forApi = { Principal: 'apigateway.amazonaws.com', FunctionName: 'Chat:live' };

  it.each([
    ['by name', { ...forApi }],
    ['by ARN', { ...forApi, FunctionName: 'arn:Chat:live' }],
    [
      'for the method',
      { ...forApi, SourceArn: 'arn:aws:execute-api:us-east-1:000000000000:Api/prod/GET/logs/*' },
    ],
  ])('accepts a permission %s', (_, permission) => {
    expect(() => permissions(permission).requireRestApi(target, sourceArn)).not.toThrow();
  });

  it.each([
    ['on the function without its alias', { ...forApi, FunctionName: 'Chat' }],
    ['for another method', { ...forApi, SourceArn: '*/POST/logs/*' }],
    ['for another principal', { ...forApi, Principal: 'events.amazonaws.com' }],
  ])('rejects a permission %s', (_, permission) => {
    expect(() => permissions(permission).requireRestApi(target, sourceArn)).toThrow(
      'The stack has no AWS::Lambda::Permission that allows lambda:InvokeFunction on Chat:live to its caller',
    );
  });
});

describe('requirePublicFunctionUrl', () => {
  const forUrl = {
    FunctionName: 'Chat:live',
    Principal: '*',
    Action: 'lambda:InvokeFunctionUrl',
    FunctionUrlAuthType: 'NONE',
  };
  const forFunction = { FunctionName: 'Chat:live', Principal: '*', InvokedViaFunctionUrl: true };

  it('requires permissions for the URL and for the function', () => {
    expect(() => permissions(forUrl, forFunction).requirePublicFunctionUrl(target)).not.toThrow();
    expect(() => permissions(forUrl).requirePublicFunctionUrl(target)).toThrow(
      'lambda:InvokeFunction on Chat:live',
    );
    expect(() => permissions(forFunction).requirePublicFunctionUrl(target)).toThrow(
      'lambda:InvokeFunctionUrl on Chat:live',
    );
  });
});
