import { describe, expect, it } from 'vitest';
import { defaultChatLimits, parseChatLimits } from '#lambdas/inference/chat/limits.ts';

describe('the limits of chat', () => {
  it('are what they are by default where nothing is said', () => {
    expect(parseChatLimits({})).toEqual({
      firstByteSeconds: 285,
      idleSeconds: 285,
      totalSeconds: 888,
      drainSeconds: 30,
      drainMegabytes: 10,
      retries: 1,
      retryAfterSeconds: 2,
    });
  });

  it('are the operator’s where something is said', () => {
    const own = { firstByteSeconds: 0.1, drainSeconds: 0, drainMegabytes: 0.5, retries: 3 };
    expect(parseChatLimits(own)).toEqual({ ...defaultChatLimits, ...own });
  });

  it.each([
    ['firstByteSeconds', 0.09, 'a number from 0.1 to 888'],
    ['firstByteSeconds', 888.1, 'a number from 0.1 to 888'],
    ['idleSeconds', '60', 'a number from 0.1 to 888'],
    ['totalSeconds', 900, 'a number from 0.1 to 888'],
    ['drainSeconds', -1, 'a number from 0 to 888'],
    ['drainMegabytes', 201, 'a number from 0 to 200'],
    ['drainMegabytes', null, 'a number from 0 to 200'],
    ['retries', 4, 'a whole number from 0 to 3'],
    ['retries', 0.5, 'a whole number from 0 to 3'],
    ['retries', -1, 'a whole number from 0 to 3'],
    ['retryAfterSeconds', 31, 'a number from 0 to 30'],
  ])('cannot have %s at %j', (name, limit, wanted) => {
    expect(() => parseChatLimits({ [name]: limit })).toThrow(
      `chatLimits.${name} must be ${wanted}: got ${JSON.stringify(limit)}`,
    );
  });

  it.each(['idle', 'constructor', '__proto__'])('do not have the name %s', (name) => {
    expect(() => parseChatLimits(JSON.parse(`{"${name}":1}`))).toThrow(
      `chatLimits.${name} is not a setting: use firstByteSeconds, idleSeconds, totalSeconds, drainSeconds, drainMegabytes, retries, retryAfterSeconds`,
    );
  });

  it.each([null, [], 'x', 1, undefined])('are an object, which %j is not', (value) => {
    expect(() => parseChatLimits(value)).toThrow('chatLimits must be an object such as {"idleSeconds":60}');
  });
});
