import { describe, expect, it } from 'vitest';
import type { GatewayConfig } from '#lib/settings/settings.ts';
import { findCollisions, type NamedTemplate } from './stack-collisions.ts';
import { synthesizeGateway } from './synthesized-gateway.ts';

/** A gateway with every setting that adds resources. */
function gateway(stackName: string): NamedTemplate {
  const config: GatewayConfig = {
    stackName,
    monitoring: 'all',
    alarmEmail: 'ops@acme.example',
    metricModels: ['openai/gpt-5.5'],
    tracing: true,
    canary: { model: 'openai/gpt-5.5' },
    chatConcurrency: 50,
    chatProvisionedConcurrency: 2,
    allowedOrigins: ['https://app.acme.example'],
    mailFrom: 'gateway@acme.example',
    dashboardDomain: `${stackName.toLowerCase()}.acme.example`,
    dashboardCertificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1234-abcd',
    identityProvider: {
      name: 'Acme',
      domains: ['acme.example'],
      issuer: 'https://login.acme.example',
      clientId: 'gateway',
      clientSecretName: 'gateway/oidc',
    },
  };
  return { stackName, template: synthesizeGateway(config).template.toJSON() };
}

describe('Two gateways in one account and region', () => {
  it('share no name, and receive no events of each other', () => {
    expect(findCollisions(gateway('Production'), gateway('Staging'))).toEqual([]);
  });

  it('with the same name are found to collide wherever a name contains it', () => {
    const collisions = findCollisions(gateway('Production'), gateway('Production'));
    const kinds = new Set(collisions.map((line) => line.split(' ')[0]));

    expect([...kinds].sort()).toEqual([
      'AWS::ApiGateway::RestApi.Name',
      'AWS::CloudFront::Distribution.Aliases',
      'AWS::CloudFront::Function.Name',
      'AWS::CloudFront::OriginAccessControl.Name',
      'AWS::CloudFront::ResponseHeadersPolicy.Name',
      'AWS::CloudWatch::Alarm.AlarmName',
      'AWS::CloudWatch::Dashboard.DashboardName',
      'AWS::Logs::QueryDefinition.Name',
      'AWS::SNS::Topic.DisplayName',
    ]);
  });
});

describe('findCollisions', () => {
  const stacks = (resource: object): [NamedTemplate, NamedTemplate] => [
    { stackName: 'One', template: { Resources: { Planted: resource } } },
    { stackName: 'Two', template: { Resources: { Planted: resource } } },
  ];
  const queue = (QueueName: unknown) => ({ Type: 'AWS::SQS::Queue', Properties: { QueueName } });
  const rule = (properties: object) => ({ Type: 'AWS::Events::Rule', Properties: properties });
  const joined = (...parts: unknown[]) => ({ 'Fn::Join': ['-', parts] });
  const stackUuid = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };

  it.each([
    ['a literal', 'orders', 'orders'],
    ['a region', joined('orders', { Ref: 'AWS::Region' }), 'orders-eu-central-1'],
    ['an account', joined('orders', { Ref: 'AWS::AccountId' }), 'orders-111122223333'],
  ])('finds a name from %s', (_, name, resolved) => {
    expect(findCollisions(...stacks(queue(name)))).toEqual([
      `AWS::SQS::Queue.QueueName "${resolved}" is in both stacks`,
    ]);
  });

  it.each([
    ["the stack's name", joined({ Ref: 'AWS::StackName' }, 'orders')],
    ["the stack's id", joined('orders', stackUuid)],
    ["a resource's name", joined('orders', { Ref: 'Api' })],
    ["a resource's attribute", { 'Fn::GetAtt': ['Api', 'Name'] }],
  ])('accepts a name from %s', (_, name) => {
    expect(findCollisions(...stacks(queue(name)))).toEqual([]);
  });

  it('finds the name of an export', () => {
    const Outputs = { Url: { Value: 'x', Export: { Name: 'GatewayUrl' } } };

    expect(
      findCollisions(
        { stackName: 'One', template: { Outputs } },
        { stackName: 'Two', template: { Outputs } },
      ),
    ).toEqual(['Export.Name "GatewayUrl" is in both stacks']);
  });

  it.each([
    ['without a stack', { source: ['ai-gateway'] }],
    ['with several stacks', { source: ['ai-gateway'], detail: { stack: ['One', 'Two'] } }],
    ['for all sources', { 'detail-type': ['Budget Threshold Reached'] }],
  ])('finds a rule %s', (_, EventPattern) => {
    expect(findCollisions(...stacks(rule({ EventPattern })))).toEqual([
      'One: the rule Planted also matches events of other stacks',
      'Two: the rule Planted also matches events of other stacks',
    ]);
  });

  it.each([
    [
      'for its own stack',
      { EventPattern: { source: ['x'], detail: { stack: [{ Ref: 'AWS::StackName' }] } } },
    ],
    ['for events of AWS', { EventPattern: { source: ['aws.s3'] } }],
    ['of a bus of its own', { EventPattern: { source: ['ai-gateway'] }, EventBusName: { Ref: 'Bus' } }],
    ['with a schedule', { ScheduleExpression: 'rate(1 hour)' }],
  ])('accepts a rule %s', (_, properties) => {
    expect(findCollisions(...stacks(rule(properties)))).toEqual([]);
  });
});
