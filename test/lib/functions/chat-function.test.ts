import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { defaultChatLimits } from '#lambdas/inference/chat/limits.ts';
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
  chatLimits: { idleSeconds: 60, retries: 0 },
});

describe('the chat function', () => {
  it('may take as long as Lambda allows', () => {
    expect(gateway.resource('Chat/Function').Properties).toMatchObject({ Timeout: 900, MemorySize: 256 });
  });

  it('takes its memory, its providers, its limits and the age of its entries from the settings', () => {
    expect(changed.resource('Chat/Function').Properties).toMatchObject({
      MemorySize: 512,
      Environment: {
        Variables: {
          PROVIDERS: JSON.stringify(providers),
          CHAT_LIMITS: JSON.stringify({ ...defaultChatLimits, idleSeconds: 60, retries: 0 }),
          ENTRY_RETENTION_DAYS: '7',
        },
      },
    });
  });

  it('runs as often as the account allows, or as the setting says', () => {
    const reserved = ({ resource }: Gateway) =>
      resource('Chat/Function').Properties.ReservedConcurrentExecutions;

    expect(reserved(gateway)).toBe(undefined);
    expect(reserved(changed)).toBe(50);
  });

  it('keeps no environment ready, unless the setting says how many', () => {
    const provisioned = ({ resource }: Gateway) =>
      resource('Chat/Function/Aliaslive').Properties.ProvisionedConcurrencyConfig;

    expect(provisioned(gateway)).toBe(undefined);
    expect(provisioned(changed)).toEqual({ ProvisionedConcurrentExecutions: 5 });
  });

  it('streams through a Function URL on the alias `live`', () => {
    expect(gateway.resource('Chat/Function/Aliaslive').Properties).toMatchObject({ Name: 'live' });
    expect(gateway.resource('Chat/Function/Aliaslive/FunctionUrl').Properties).toMatchObject({
      AuthType: 'NONE',
      InvokeMode: 'RESPONSE_STREAM',
      Qualifier: 'live',
    });
  });

  it('lets the internet call the URL and, through the URL alone, the function', () => {
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
  'bedrock:InvokeModel on arn:AWS::Partition:bedrock:*::foundation-model/*',
  `bedrock:InvokeModel on arn:AWS::Partition:bedrock:${region}:AWS::AccountId:*`,
  'bedrock:InvokeModelWithResponseStream on arn:AWS::Partition:bedrock:*::foundation-model/*',
  `bedrock:InvokeModelWithResponseStream on arn:AWS::Partition:bedrock:${region}:AWS::AccountId:*`,
];

describe('the access to Bedrock', () => {
  it('is not given to a gateway that does not use it', () => {
    expect(bedrockPermissions(gateway)).toEqual([]);
  });

  it('is given when the settings name the provider', () => {
    expect(bedrockPermissions(changed)).toEqual(permissionsIn('AWS::Region'));
  });

  it('is for the region of the settings', () => {
    const elsewhere = synthesizeGateway({ providers: { bedrock: { region: 'eu-central-1' } } });

    expect(bedrockPermissions(elsewhere)).toEqual(permissionsIn('eu-central-1'));
  });

  it.each([{}, { region: 'eu-central-1' }])('is acknowledged in the checks of synth: %j', (bedrock) => {
    const { app, stack } = createGateway({ config: { providers: { bedrock } } });

    expect(new AwsSolutionsChecks(app).validateScope(stack).violations).toEqual([]);
  });
});
