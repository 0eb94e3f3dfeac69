import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import type { GatewayConfig } from '#lib/settings.ts';
import { createGateway, synthesizeGateway } from '../synthesized-gateway.ts';

const permissionsWith = (providers: GatewayConfig['providers']) =>
  synthesizeGateway({ providers })
    .permissionsOf('Chat/Function')
    .filter((line) => line.startsWith('bedrock:'));

const permissionsIn = (region: string) => [
  `bedrock:ApplyGuardrail on arn:AWS::Partition:bedrock:${region}:AWS::AccountId:*`,
  'bedrock:InvokeModel on arn:AWS::Partition:bedrock:*::foundation-model/*',
  `bedrock:InvokeModel on arn:AWS::Partition:bedrock:${region}:AWS::AccountId:*`,
  'bedrock:InvokeModelWithResponseStream on arn:AWS::Partition:bedrock:*::foundation-model/*',
  `bedrock:InvokeModelWithResponseStream on arn:AWS::Partition:bedrock:${region}:AWS::AccountId:*`,
];

describe('the access to Bedrock', () => {
  it('is not given to a gateway that does not use it', () => {
    expect(permissionsWith({ openai: {} })).toEqual([]);
  });

  it('is given when the settings name the provider', () => {
    expect(permissionsWith({ bedrock: {} })).toEqual(permissionsIn('AWS::Region'));
  });

  it('is for the region of the settings', () => {
    expect(permissionsWith({ bedrock: { region: 'eu-central-1' } })).toEqual(permissionsIn('eu-central-1'));
  });

  it.each([{}, { region: 'eu-central-1' }])('is acknowledged in the checks of synth: %j', (bedrock) => {
    const { app, stack } = createGateway({ config: { providers: { bedrock } } });

    expect(new AwsSolutionsChecks(app).validateScope(stack).violations).toEqual([]);
  });
});
