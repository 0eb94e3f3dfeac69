import { describe, expect, it } from 'vitest';
import { mergeOverrides, openSignUp } from '#local/functions/environment-overrides.ts';
import { createFixtureStack } from '../fixture-stack.ts';

const lambdaFunction = (Variables?: Record<string, string>) => ({
  Type: 'AWS::Lambda::Function',
  Properties: Variables === undefined ? {} : { Environment: { Variables } },
});

describe('openSignUp', () => {
  it('opens the sign-up in all functions that restrict it', () => {
    const stack = createFixtureStack({
      Session: lambdaFunction({ SIGN_UP: 'invited', OTHER: '1' }),
      SignUp: lambdaFunction({ SIGN_UP: 'invited' }),
      Chat: lambdaFunction({ OTHER: '1' }),
      Models: lambdaFunction(),
    });

    expect(Object.fromEntries(openSignUp(stack))).toEqual({
      Session: { SIGN_UP: 'open' },
      SignUp: { SIGN_UP: 'open' },
    });
  });
});

describe('mergeOverrides', () => {
  it('merges the variables of each function', () => {
    const one = new Map([['A', { x: '1', y: '1' }]]);
    const two = new Map<string, Record<string, string>>([
      ['A', { y: '2' }],
      ['B', { z: '3' }],
    ]);
    const merged = mergeOverrides(one, two);

    expect(Object.fromEntries(merged)).toEqual({ A: { x: '1', y: '2' }, B: { z: '3' } });
  });
});
