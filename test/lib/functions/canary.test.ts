import { describe, expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway({ canary: { everyMinutes: 5 } });

describe('The canary', () => {
  it('is not deployed by default', () => {
    const paths = synthesizeGateway()
      .ofType('AWS::Lambda::Function')
      .map(({ path }) => path);
    expect(paths.filter((path) => path.startsWith('Canary'))).toEqual([]);
  });

  it('runs on schedule, without retries', () => {
    expect(gateway.resource('Canary/Schedule').Properties).toMatchObject({
      ScheduleExpression: 'rate(5 minutes)',
      State: 'ENABLED',
      Targets: [{ RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 } }],
    });
    const target = { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 };
    const [invocation] = gateway
      .ofType('AWS::Lambda::EventInvokeConfig')
      .filter(({ resource }) => gateway.readable(resource.Properties.FunctionName) === 'Canary/Function');
    expect(invocation?.resource.Properties).toMatchObject(target);
    expect(gateway.resource('Canary/Function').Properties).toMatchObject({ Timeout: 120, MemorySize: 256 });
  });

  it('may only create its organization, and create and delete its key', () => {
    expect(gateway.permissionsOf('Canary/Function')).toEqual([
      'dynamodb:DeleteItem on Directory.Arn',
      'dynamodb:GetItem on Directory.Arn',
      'dynamodb:PutItem on AuditTrail.Arn',
      'dynamodb:PutItem on Directory.Arn',
      'logs:CreateLogStream on Canary/FunctionLogGroup.Arn',
      'logs:PutLogEvents on Canary/FunctionLogGroup.Arn',
    ]);
  });

  it('knows both endpoints, and the model if there is one', () => {
    const variablesOf = ({ resource }: typeof gateway) =>
      resource('Canary/Function').Properties.Environment as { Variables: object };
    const variables = gateway.readableValues(variablesOf(gateway).Variables);
    expect(variables).toMatchObject({
      API_BASE_URL: 'https://RestApi/Api.execute-api.AWS::Region.AWS::URLSuffix/prod',
      CHAT_URL: expect.stringMatching(/^https:\/\/.*FunctionUrl/),
      CANARY_MODEL: '',
    });
    const model = 'openai/gpt-4o-mini';
    expect(variablesOf(synthesizeGateway({ canary: { model } })).Variables).toMatchObject({
      CANARY_MODEL: model,
    });
  });
});
