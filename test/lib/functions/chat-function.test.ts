import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { defaultChatLimits } from '#lambdas/inference/exchange/limits.ts';
import { createGateway, type Gateway, synthesizeGateway } from '../synthesized-gateway.ts';

const providers = {
  vllm: { baseUrl: 'http://10.0.0.5:8000/v1', private: true, prices: { input: 0.1, output: 0.2 } },
  bedrock: {},
};
const gateway = synthesizeGateway();
const changed = synthesizeGateway({
  chatMemoryMb: 512,
  chatConcurrency: 50,
  chatProvisionedConcurrency: 5,
  entryRetentionDays: 7,
  providers,
  defaultProvider: 'vllm',
  agentSessions: false,
  chatLimits: { idleSeconds: 60, retries: 0 },
});

describe('ChatFunction', () => {
  it('has the maximum Lambda timeout', () => {
    expect(gateway.resource('Chat/Function').Properties).toMatchObject({ Timeout: 900, MemorySize: 256 });
  });

  it('applies the settings for memory, providers, limits and entry retention', () => {
    expect(changed.resource('Chat/Function').Properties).toMatchObject({
      MemorySize: 512,
      Environment: {
        Variables: {
          PROVIDERS: JSON.stringify(providers),
          DEFAULT_PROVIDER: '"vllm"',
          AGENT_SESSIONS: 'false',
          CHAT_LIMITS: JSON.stringify({ ...defaultChatLimits, idleSeconds: 60, retries: 0 }),
          ENTRY_RETENTION_DAYS: '7',
        },
      },
    });
  });

  it('reserves concurrency only when chatConcurrency is set', () => {
    const reserved = ({ resource }: Gateway) =>
      resource('Chat/Function').Properties.ReservedConcurrentExecutions;

    expect(reserved(gateway)).toBe(undefined);
    expect(reserved(changed)).toBe(50);
  });

  it('provisions concurrency only when chatProvisionedConcurrency is set', () => {
    const provisioned = ({ resource }: Gateway) =>
      resource('Chat/Function/Aliaslive').Properties.ProvisionedConcurrencyConfig;

    expect(provisioned(gateway)).toBe(undefined);
    expect(provisioned(changed)).toEqual({ ProvisionedConcurrentExecutions: 5 });
  });

  it('streams through a function URL on the alias `live`', () => {
    expect(gateway.resource('Chat/Function/Aliaslive').Properties).toMatchObject({ Name: 'live' });
    expect(gateway.resource('Chat/Function/Aliaslive/FunctionUrl').Properties).toMatchObject({
      AuthType: 'NONE',
      InvokeMode: 'RESPONSE_STREAM',
      Qualifier: 'live',
    });
  });

  it('allows public access to the function URL, and to the function only through the URL', () => {
    const open = gateway
      .ofType('AWS::Lambda::Permission')
      .map(({ resource }) => gateway.readableValues(resource.Properties))
      .filter(({ Principal }) => Principal === '*');

    expect(open).toEqual([
      {
        Action: 'lambda:InvokeFunctionUrl',
        FunctionName: 'Chat/Function/Aliaslive',
        FunctionUrlAuthType: 'NONE',
        Principal: '*',
      },
      {
        Action: 'lambda:InvokeFunction',
        FunctionName: 'Chat/Function/Aliaslive',
        InvokedViaFunctionUrl: 'true',
        Principal: '*',
      },
    ]);
  });
});

const bedrockPermissions = ({ permissionsOf }: Gateway) =>
  permissionsOf('Chat/Function').filter((line) => line.startsWith('bedrock:'));

const permissionsIn = (region: string) => [
  `bedrock:ApplyGuardrail on arn:AWS::Partition:bedrock:${region}:AWS::AccountId:*`,
  'bedrock:CountTokens on arn:AWS::Partition:bedrock:*::foundation-model/*',
  `bedrock:CountTokens on arn:AWS::Partition:bedrock:${region}:AWS::AccountId:*`,
  'bedrock:InvokeModel on arn:AWS::Partition:bedrock:*::foundation-model/*',
  `bedrock:InvokeModel on arn:AWS::Partition:bedrock:${region}:AWS::AccountId:*`,
  'bedrock:InvokeModelWithResponseStream on arn:AWS::Partition:bedrock:*::foundation-model/*',
  `bedrock:InvokeModelWithResponseStream on arn:AWS::Partition:bedrock:${region}:AWS::AccountId:*`,
];

describe('Bedrock permissions', () => {
  it('has no Bedrock permissions by default', () => {
    expect(bedrockPermissions(gateway)).toEqual([]);
  });

  it('has Bedrock permissions when the settings contain the provider bedrock', () => {
    expect(bedrockPermissions(changed)).toEqual(permissionsIn('AWS::Region'));
  });

  it('has Bedrock permissions for the region in the settings', () => {
    const elsewhere = synthesizeGateway({ providers: { bedrock: { region: 'eu-central-1' } } });

    expect(bedrockPermissions(elsewhere)).toEqual(permissionsIn('eu-central-1'));
  });

  it.each([{}, { region: 'eu-central-1' }])(
    'causes no unacknowledged finding of cdk-nag with the Bedrock settings %j',
    (bedrock) => {
      const { app, stack } = createGateway({ providers: { bedrock } });

      expect(new AwsSolutionsChecks(app).validateScope(stack).violations).toEqual([]);
    },
  );
});
