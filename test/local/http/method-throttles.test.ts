import { describe, expect, it } from 'vitest';
import { readMethodThrottles } from '#local/http/method-throttles.ts';

const chat = { HttpMethod: 'POST', ResourcePath: '/~1ai~1chat' };

function throttles(methodSettings: object[]) {
  const clock = { now: 1_000 };
  const stage = {
    logicalId: 'Stage',
    type: 'AWS::ApiGateway::Stage',
    properties: { StageName: 'prod', MethodSettings: methodSettings },
  };
  const { admit } = readMethodThrottles(stage, () => clock.now);
  return {
    clock,
    admit,
    admitted: (times: number) => Array.from({ length: times }, () => admit('POST', '/ai/chat')),
  };
}

describe('readMethodThrottles', () => {
  it('admits the burst, then the rate per second', () => {
    const { clock, admitted } = throttles([{ ...chat, ThrottlingBurstLimit: 2, ThrottlingRateLimit: 4 }]);

    expect(admitted(3)).toEqual([true, true, false]);
    clock.now += 249;
    expect(admitted(1)).toEqual([false]);
    clock.now += 1;
    expect(admitted(2)).toEqual([true, false]);
  });

  it('accumulates no more tokens than the burst', () => {
    const { clock, admitted } = throttles([{ ...chat, ThrottlingBurstLimit: 2, ThrottlingRateLimit: 4 }]);
    clock.now += 60_000;

    expect(admitted(3)).toEqual([true, true, false]);
  });

  it('throttles only the configured method and path', () => {
    const { admit, admitted } = throttles([
      { HttpMethod: '*', ResourcePath: '/*', LoggingLevel: 'ERROR' },
      { ...chat, ThrottlingBurstLimit: 1, ThrottlingRateLimit: 1 },
    ]);

    expect(admitted(2)).toEqual([true, false]);
    expect([admit('GET', '/ai/chat'), admit('POST', '/ai')]).toEqual([true, true]);
  });

  it.each([
    [
      { HttpMethod: '*', ResourcePath: '/*', ThrottlingBurstLimit: 1, ThrottlingRateLimit: 1 },
      'Stage throttles all methods, which the local run does not emulate',
    ],
    [
      { ...chat, ThrottlingRateLimit: 1 },
      'Stage throttles a method without both ThrottlingRateLimit and ThrottlingBurstLimit',
    ],
    [
      { ...chat, ThrottlingBurstLimit: 1 },
      'Stage throttles a method without both ThrottlingRateLimit and ThrottlingBurstLimit',
    ],
  ])('rejects unsupported settings: %j', (settings, message) => {
    expect(() => throttles([settings])).toThrow(message);
  });
});
