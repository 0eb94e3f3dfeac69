import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { createGateway, synthesizeGateway } from './synthesized-gateway.ts';

const gateway = synthesizeGateway();

describe('the stack', () => {
  it('is named by the setting and belongs to no account or region', () => {
    const { stack } = createGateway({ config: { stackName: 'Staging' } });

    expect(stack.stackName).toBe('Staging');
    expect(stack.environment).toBe('aws://unknown-account/unknown-region');
  });

  it('says where it can be reached and what it made', () => {
    const outputs = Object.entries(gateway.template.findOutputs('*'));

    expect(Object.fromEntries(outputs.map(([name, { Value }]) => [name, gateway.readable(Value)]))).toEqual({
      ApiBaseUrl:
        'https://RestApi/Api.execute-api.AWS::Region.AWS::URLSuffix/RestApi/Api/DeploymentStage.prod',
      ChatUrl: 'https://part 2 of (Chat/Function/Aliaslive/FunctionUrl.FunctionUrl split at /)',
      DirectoryTableName: 'Directory',
      LogEntriesTableName: 'LogEntries',
      CostRollupsTableName: 'CostRollups',
      ProviderSecretArn: 'ProviderSecret',
      ProviderSettings: '{}',
      EntryRetentionDays: '90',
      ChatLogGroupName: 'Chat/FunctionLogGroup',
      LostEntriesQueueUrl: 'LogRecovery/LostEntries',
      LostEntriesDeadLetterQueueUrl: 'LogRecovery/DeadLetters',
      RollupDeadLetterQueueUrl: 'CostRollup/DeadLetters',
    });
  });

  it.each([
    [gateway, 30],
    [synthesizeGateway({ logRetentionDays: 7 }), 7],
  ])('keeps every log as long as the setting says', ({ ofType }, expected) => {
    const groups = ofType('AWS::Logs::LogGroup').map(({ resource }) => resource.Properties);

    expect(groups.map(({ RetentionInDays }) => RetentionInDays)).toEqual(Array(9).fill(expected));
  });

  it('holds no resource of CDK: no custom resource, no metadata', () => {
    const types = Object.values(gateway.template.toJSON().Resources).map(
      (resource) => (resource as { Type: string }).Type,
    );

    expect(types.filter((type) => /^Custom::|CustomResource|CDK::/.test(type))).toEqual([]);
  });
});

describe('the checks of synth', () => {
  it('find nothing that the AwsSolutions pack wants acknowledged', () => {
    const { app, stack } = createGateway();
    const report = new AwsSolutionsChecks(app).validateScope(stack);

    expect(report.violations).toEqual([]);
  });

  it('find a template that CloudFormation takes without a warning', () => {
    const { app } = createGateway({ validated: true });
    const { directory } = app.synth();
    const report = JSON.parse(readFileSync(join(directory, 'validation-report.json'), 'utf8'));

    expect(report.pluginReports).toEqual([]);
  });
});

/** The logs have tests of their own. */
describe('nothing but logs records requests', () => {
  const propertiesOf = (type: string) => gateway.ofType(type).map(({ resource }) => resource.Properties);

  it('no trace', () => {
    const stages = propertiesOf('AWS::ApiGateway::Stage');
    expect(stages.map(({ TracingEnabled }) => TracingEnabled)).toEqual([undefined]);
    const functions = propertiesOf('AWS::Lambda::Function');
    expect(functions.map(({ TracingConfig }) => TracingConfig)).toEqual(functions.map(() => undefined));
  });

  it('no metric of log lines, and no other destination of them', () => {
    const types = ['AWS::Logs::MetricFilter', 'AWS::Logs::SubscriptionFilter', 'AWS::Logs::Destination'];
    expect(types.flatMap((type) => gateway.ofType(type))).toEqual([]);
  });
});
