import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEventSender } from '#lambdas/platform/aws/event-bridge.ts';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { createEventBridge } from '#local/aws/event-bridge.ts';
import { startRules } from '#local/event-sources/rule/start.ts';
import type { HostedFunction } from '#local/functions/host.ts';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { readInvokePermissions } from '#local/permissions/invoke-permissions.ts';
import { writeAssemblyFixture } from '#test/local/assembly-fixture.ts';
import { type InvocationQueue, startInvocationQueue } from '#test/local/invocation-queue.ts';
import { createStackFixture } from '#test/local/stack-fixture.ts';

const consumerArn = { 'Fn::GetAtt': ['Consumer', 'Arn'] };

function ruleResources(rule: Record<string, unknown> = {}, permission: Record<string, unknown> = {}) {
  return {
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: {
        Description: 'Thresholds',
        EventPattern: { source: ['ai-gateway'], 'detail-type': ['Budget'], detail: { percent: [80, 100] } },
        State: 'ENABLED',
        Targets: [{ Arn: consumerArn, Id: 'Target0', RetryPolicy: { MaximumRetryAttempts: 2 } }],
        ...rule,
      },
    },
    RulePermission: {
      Type: 'AWS::Lambda::Permission',
      Properties: {
        Action: 'lambda:InvokeFunction',
        FunctionName: consumerArn,
        Principal: 'events.amazonaws.com',
        SourceArn: { 'Fn::GetAtt': ['Rule', 'Arn'] },
        ...permission,
      },
    },
  };
}

const scheduleResources = {
  ScheduleABCD0123: {
    Type: 'AWS::Events::Rule',
    Properties: {
      ScheduleExpression: 'rate(1 hour)',
      State: 'ENABLED',
      Targets: [{ Arn: consumerArn, Id: 'Target0', RetryPolicy: { MaximumRetryAttempts: 0 } }],
    },
  },
  SchedulePermission: {
    Type: 'AWS::Lambda::Permission',
    Properties: {
      Action: 'lambda:InvokeFunction',
      FunctionName: consumerArn,
      Principal: 'events.amazonaws.com',
      SourceArn: { 'Fn::GetAtt': ['ScheduleABCD0123', 'Arn'] },
    },
  },
};

describe('A rule of the template', () => {
  let invocations: InvocationQueue<Record<string, unknown>>;
  let gateway: LocalGateway;
  beforeAll(async () => {
    invocations = await startInvocationQueue();
    gateway = await startLocalGateway({
      assemblyDirectory: writeAssemblyFixture({
        testUrl: invocations.url,
        mapping: { Enabled: false },
        resources: { ...ruleResources(), ...scheduleResources },
      }),
      ephemeral: true,
      port: 0,
      environment: { PATH: process.env.PATH },
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await invocations.stop();
  });

  it('invokes its function for each event that matches its pattern', async () => {
    const service = createJsonService({
      service: 'events',
      access: {
        region: 'us-east-1',
        credentials: { accessKeyId: 'local-admin', secretAccessKey: 'any' },
        endpoints: { events: gateway.connection.dynamodb_endpoint },
      },
      now: () => new Date(),
    });
    const event = { source: 'ai-gateway', detailType: 'Budget', detail: { percent: 80, id: 'first' } };
    await createEventSender(service).send([
      { ...event, source: 'other' },
      { ...event, detailType: 'Other' },
      { ...event, detail: { percent: 50 } },
      event,
      { ...event, detail: { percent: 100, id: 'last' } },
    ]);
    const calls = [await invocations.next(), await invocations.next()];
    for (const { respond } of calls) respond();

    expect(calls.map(({ message }) => message.detail)).toEqual(
      expect.arrayContaining([
        { percent: 80, id: 'first' },
        { percent: 100, id: 'last' },
      ]),
    );
    expect(calls[0]?.message).toEqual({
      version: '0',
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      'detail-type': 'Budget',
      source: 'ai-gateway',
      account: '000000000000',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      region: 'us-east-1',
      resources: [],
      detail: expect.any(Object),
    });
    expect(invocations.pendingCount()).toBe(0);
  });

  it('invokes its function when its schedule is run, and waits for the end', async () => {
    const steps: string[] = [];
    const running = gateway
      .runSchedule('Schedule', new Date('2026-01-31T09:15:00.500Z'))
      .then(() => steps.push('resolved'));
    const { message, respond } = await invocations.next();
    steps.push('invoked');
    respond();
    await running;

    expect(steps).toEqual(['invoked', 'resolved']);
    expect(message).toEqual({
      version: '0',
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      'detail-type': 'Scheduled Event',
      source: 'aws.events',
      account: '000000000000',
      time: '2026-01-31T09:15:00Z',
      region: 'us-east-1',
      resources: ['arn:aws:events:us-east-1:000000000000:rule/Fixture-ScheduleABCD0123'],
      detail: {},
    });
    await expect(gateway.runSchedule('Rule', new Date())).rejects.toThrow(
      'The stack has no scheduled rule Rule',
    );
  });
});

describe('startRules', () => {
  const consumer: HostedFunction = {
    definition: {
      logicalId: 'Consumer',
      name: 'Consumer',
      functionName: 'Fixture-Consumer',
      arn: 'arn:aws:lambda:us-east-1:000000000000:function:Fixture-Consumer',
      roleLogicalId: '',
      codeDirectory: '',
      environment: {},
      timeoutSeconds: 5,
      memoryMb: 128,
    },
    warmUp: async () => {},
    processIds: () => [],
    invoke: async () => ({ kind: 'throttled' }),
    stop: async () => {},
  };

  const start = (rule: Record<string, unknown>, permission?: Record<string, unknown>) => () => {
    const stack = createStackFixture({
      Consumer: { Type: 'AWS::Lambda::Function' },
      ...ruleResources(rule, permission),
    });
    const log = () => {};
    startRules({
      run: { log, region: 'us-east-1', resources: new AsyncDisposableStack() },
      stack,
      functions: { find: () => consumer },
      permissions: readInvokePermissions(stack.template, stack.resolve),
      aws: { eventBridge: createEventBridge({ region: 'us-east-1', log }) },
    });
  };

  it('accepts the rule', () => {
    expect(start({})).not.toThrow();
  });

  const target = { Arn: consumerArn, Id: 'Target0' };

  it.each<[string, Record<string, unknown>, string]>([
    [
      'a pattern with a schedule',
      { ScheduleExpression: 'rate(1 day)' },
      'Rule: the local run supports no rule with a pattern and a schedule',
    ],
    [
      'another event bus',
      { EventBusName: 'other' },
      'Rule has EventBusName, which the local run does not emulate',
    ],
    ['a disabled rule', { State: 'DISABLED' }, 'Rule: the local run supports only enabled rules'],
    [
      'an operator in the pattern',
      { EventPattern: { source: [{ 'anything-but': 'x' }] } },
      'Rule.EventPattern.source: the local run supports only literals in event patterns, not {"anything-but":"x"}',
    ],
    [
      'no pattern',
      { EventPattern: undefined },
      'Rule.EventPattern: an event pattern must be an object or an array',
    ],
    [
      'an input transformer',
      { Targets: [{ ...target, InputPath: '$.detail' }] },
      'Rule.Targets[0] has InputPath, which the local run does not emulate',
    ],
    [
      'an alias',
      { Targets: [{ ...target, Arn: `${consumer.definition.arn}:live` }] },
      'Rule.Targets[0].Arn: the local run supports no alias as the target of a rule',
    ],
  ])('rejects %s', (_, rule, message) => {
    expect(start(rule)).toThrow(message);
  });

  it('rejects a rule that may not invoke its function', () => {
    expect(start({}, { SourceArn: 'arn:aws:events:us-east-1:000000000000:rule/Other' })).toThrow(
      'The stack has no AWS::Lambda::Permission that allows lambda:InvokeFunction on Fixture-Consumer to its caller',
    );
  });
});
