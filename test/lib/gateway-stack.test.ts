import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import type { GatewayConfig } from '#lib/settings/settings.ts';
import { createApp, createGateway, synthesizeGateway } from './synthesized-gateway.ts';

const gateway = synthesizeGateway();

describe('GatewayStack', () => {
  it('uses the stack name in the settings and no fixed account or region', () => {
    const { stack } = createGateway({ stackName: 'Staging' });

    expect(stack.stackName).toBe('Staging');
    expect(stack.environment).toBe('aws://unknown-account/unknown-region');
  });

  it('outputs the URLs and the names of resources', () => {
    const outputs = Object.entries(gateway.template.findOutputs('*'));

    expect(Object.fromEntries(outputs.map(([name, { Value }]) => [name, gateway.readable(Value)]))).toEqual({
      ApiBaseUrl: 'https://RestApi/Api.execute-api.AWS::Region.AWS::URLSuffix/prod',
      ChatUrl: 'https://part 2 of (Chat/Function/Aliaslive/FunctionUrl.FunctionUrl split at /)',
      DirectoryTableName: 'Directory',
      LogEntriesTableName: 'LogEntries',
      CostRollupsTableName: 'CostRollups',
      PricesTableName: 'Prices',
      BudgetCountersTableName: 'BudgetCounters',
      AuditTrailTableName: 'AuditTrail',
      ProviderSecretArn: 'ProviderSecret',
      ProviderSettings: '{}',
      EntryRetentionDays: '90',
      AuditRetentionDays: '400',
      ChatLogGroupName: 'Chat/FunctionLogGroup',
      LostEntriesQueueUrl: 'LogRecovery/LostEntries',
      LostEntriesDeadLetterQueueUrl: 'LogRecovery/DeadLetters',
      RollupDeadLetterQueueUrl: 'CostRollup/DeadLetters',
      BudgetChangesDeadLetterQueueUrl: 'BudgetChanges/DeadLetters',
      DashboardUrl: 'https://Dashboard/Site/Distribution.DomainName',
      SignInUrl: 'https://Dashboard/UserPool/Domain.auth.AWS::Region.amazoncognito.com',
      UserPoolId: 'Dashboard/UserPool',
      AccountsTableName: 'Dashboard/Accounts',
      AlarmTopicArn: 'Monitoring/AlarmTopic',
    });
  });

  it('has a CloudWatch dashboard at the level all only, and outputs its address', () => {
    const { template, readable } = synthesizeGateway({ monitoring: 'all', stackName: 'Staging' });

    expect(readable(template.findOutputs('MonitoringDashboardUrl').MonitoringDashboardUrl?.Value)).toBe(
      'https://console.aws.amazon.com/cloudwatch/home?region=AWS::Region#dashboards/dashboard/Staging-AWS::Region',
    );
    expect(gateway.ofType('AWS::CloudWatch::Dashboard')).toEqual([]);
  });

  it.each([
    [gateway, 30],
    [synthesizeGateway({ logRetentionDays: 7 }), 7],
  ])('applies logRetentionDays to every log group', ({ ofType }, expected) => {
    const groups = ofType('AWS::Logs::LogGroup').map(({ resource }) => resource.Properties);

    expect(groups.map(({ RetentionInDays }) => RetentionInDays)).toEqual(Array(20).fill(expected));
  });

  it('contains no CDK metadata, and no custom resources but those that fill and empty the bucket', () => {
    const types = Object.values(gateway.template.toJSON().Resources).map(
      (resource) => (resource as { Type: string }).Type,
    );

    expect(types.filter((type) => /^Custom::|CustomResource|CDK::/.test(type))).toEqual([
      'Custom::S3AutoDeleteObjects',
      'Custom::CDKBucketDeployment',
      'Custom::CDKBucketDeployment',
    ]);
  });
});

const company = { name: 'Acme', domains: ['acme.example'] };

describe('Synthesis checks', () => {
  const configurations: GatewayConfig[] = [
    { stackName: 'Defaults' },
    { stackName: 'NoDashboard', dashboard: false },
    {
      stackName: 'Oidc',
      dashboardDomain: 'gateway.acme.example',
      dashboardCertificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1234-abcd',
      requireMfa: true,
      mailFrom: 'gateway@acme.example',
      identityProvider: {
        ...company,
        issuer: 'https://login.acme.example',
        clientId: 'gateway',
        clientSecretName: 'gateway/oidc',
      },
    },
    {
      stackName: 'Saml',
      identityProvider: { ...company, samlMetadataUrl: 'https://login.acme.example/metadata' },
    },
    { stackName: 'NotMonitored', monitoring: 'off' },
    {
      stackName: 'Monitored',
      monitoring: 'all',
      alarmEmail: 'ops@acme.example',
      metricModels: ['openai/gpt-5.5'],
      tracing: true,
      canary: { model: 'openai/gpt-5.5' },
    },
  ];

  it('find nothing in any of these configurations', () => {
    // One app for all: each would compile the validator again, which takes a second.
    const app = createApp({ validate: true });
    const stacks = configurations.map((config) => createGateway(config, app).stack);
    const checks = new AwsSolutionsChecks(app);
    const violations = stacks.flatMap((stack) => checks.validateScope(stack).violations);
    const { directory } = app.synth();
    const report = JSON.parse(readFileSync(join(directory, 'validation-report.json'), 'utf8'));

    expect(violations).toEqual([]);
    expect(report.pluginReports).toEqual([]);
  });
});

/** Other tests check the contents of logs. */
describe('Requests are recorded only in logs, metrics and traces', () => {
  const propertiesOf = (type: string, { ofType } = gateway) =>
    ofType(type).map(({ path, resource }) => ({ path, properties: resource.Properties }));
  const gatewayFunctions = (of = gateway) =>
    propertiesOf('AWS::Lambda::Function', of).filter(({ path }) => !path.startsWith('Custom::'));

  it('traces the API and every function only if tracing is set', () => {
    const traced = synthesizeGateway({ tracing: true });
    const stageTracing = (of = gateway) =>
      propertiesOf('AWS::ApiGateway::Stage', of).map(({ properties }) => properties.TracingEnabled);
    const modes = (of = gateway) =>
      new Set(gatewayFunctions(of).map(({ properties }) => JSON.stringify(properties.TracingConfig)));

    expect(stageTracing()).toEqual([false]);
    expect(modes()).toEqual(new Set([undefined]));
    expect(stageTracing(traced)).toEqual([true]);
    expect(modes(traced)).toEqual(new Set(['{"Mode":"Active"}']));
    const permissionsFor = (of: typeof gateway) =>
      of.permissionsOf('Models').filter((permission) => permission.startsWith('xray:'));
    expect(permissionsFor(gateway)).toEqual([]);
    expect(permissionsFor(traced)).toEqual(['xray:PutTelemetryRecords on *', 'xray:PutTraceSegments on *']);
  });

  it('has no agents beside the functions', () => {
    expect(gatewayFunctions().filter(({ properties }) => properties.Layers !== undefined)).toEqual([]);
  });

  it('publishes metrics in log lines: there are no metric filters, and no other destinations of log lines', () => {
    const types = ['AWS::Logs::MetricFilter', 'AWS::Logs::SubscriptionFilter', 'AWS::Logs::Destination'];
    expect(types.flatMap((type) => gateway.ofType(type))).toEqual([]);
  });

  it('monitors nothing at the level off: no alarm, topic, query, dashboard or schedule', () => {
    const off = synthesizeGateway({ monitoring: 'off' });
    const types = Object.values(off.template.toJSON().Resources as Record<string, { Type: string }>);

    expect(types.filter(({ Type }) => /^AWS::(CloudWatch|SNS|Events)::|QueryDefinition/.test(Type))).toEqual(
      [],
    );
    expect(off.template.findOutputs('AlarmTopicArn')).toEqual({});
  });
});
