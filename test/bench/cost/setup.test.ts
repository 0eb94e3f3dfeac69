import { describe, expect, it } from 'vitest';
import { restingRows } from '#bench/cost/resting.ts';
import { readSetup, type Template } from '#bench/cost/setup.ts';
import { synthesizeGateway } from '#test/lib/synthesized-gateway.ts';

const templateOf = (context?: Record<string, unknown>) =>
  synthesizeGateway(context).template.toJSON() as Template;
const deployed = templateOf();

const chatProperties = { Description: 'Forwards chat completions …', LoggingConfig: {} };
const template: Template = {
  Resources: {
    Chat: { Type: 'AWS::Lambda::Function', Properties: chatProperties },
    Rollup: {
      Type: 'AWS::Lambda::Function',
      Properties: { Description: 'Adds new log entries …', MemorySize: 512 },
    },
    Queue: { Type: 'AWS::Lambda::EventSourceMapping', Properties: { BatchSize: 10 } },
    Stream: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: { BatchSize: 500, MaximumBatchingWindowInSeconds: 3, StartingPosition: 'LATEST' },
    },
    Stage: {
      Type: 'AWS::ApiGateway::Stage',
      Properties: { AccessLogSetting: { Format: '{"id":"$context.requestId"}' } },
    },
  },
};

describe('what decides about the cost of a chat', () => {
  it('is read from the template', () => {
    expect(readSetup(template)).toEqual({
      platformLines: true,
      rollupMemoryMb: 512,
      batchSeconds: 3,
      batchSize: 500,
      accessLogBytes: '{"id":""}'.length + 16,
      entryDays: 90,
      logDays: 30,
    });
  });

  it("has no lines of Lambda's own where it is told to write warnings only", () => {
    const Chat = {
      Type: 'AWS::Lambda::Function',
      Properties: { ...chatProperties, LoggingConfig: { SystemLogLevel: 'WARN' } },
    };

    expect(readSetup({ Resources: { ...template.Resources, Chat } }).platformLines).toBe(false);
  });

  it('is in the template that is deployed', () => {
    expect(readSetup(deployed)).toMatchObject({ rollupMemoryMb: 1769, batchSize: 1000 });
  });

  it('is missed where it is not there', () => {
    expect(() => readSetup({ Resources: {} })).toThrow(
      new Error('The template has no AWS::Lambda::Function with "Forwards chat completions"'),
    );
  });
});

describe('the stack at rest', () => {
  it('costs a secret, and calls of a queue that are free up to a million', () => {
    const billed = restingRows(deployed).filter(({ usd }) => usd > 0);

    expect(billed.map(({ types, count, usd }) => ({ types, count, usd }))).toEqual([
      { types: ['AWS::SecretsManager::Secret'], count: 1, usd: 0.4 },
      // 5 × 2,628,000 s / 20 s = 657,000 calls
      { types: ['AWS::Lambda::EventSourceMapping'], count: 1, usd: 0.2628 },
    ]);
  });

  it('has no resource that nobody has priced', () => {
    const counted = restingRows(deployed).reduce((sum, { count }) => sum + count, 0);

    expect(counted).toBe(Object.keys(deployed.Resources).length);
    expect(() => restingRows({ Resources: { Nat: { Type: 'AWS::EC2::NatGateway' } } })).toThrow(
      new Error('Nobody has said what AWS::EC2::NatGateway costs at rest'),
    );
  });

  it('is no longer at rest with environments that are kept ready', () => {
    expect(() => restingRows(templateOf({ chatProvisionedConcurrency: 1 }))).toThrow(
      new Error('What is kept ready is not at rest'),
    );
  });
});
