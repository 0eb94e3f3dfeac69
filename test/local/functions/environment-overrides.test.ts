import { describe, expect, it } from 'vitest';
import { mergeOverrides, openToAnyone } from '#local/functions/environment-overrides.ts';
import { createStackFixture } from '../stack-fixture.ts';

const lambdaFunction = (Variables?: Record<string, string>) => ({
  Type: 'AWS::Lambda::Function',
  Properties: Variables === undefined ? {} : { Environment: { Variables } },
});

describe('openToAnyone', () => {
  it('opens sign-up and organizations in all functions that restrict them', () => {
    const stack = createStackFixture({
      Session: lambdaFunction({ SIGN_UP: 'invited', ORGANIZATION_CREATORS: '[]', OTHER: '1' }),
      SignUp: lambdaFunction({ SIGN_UP: 'invited' }),
      Organizations: lambdaFunction({ ORGANIZATION_CREATORS: '["acme.example"]' }),
      Chat: lambdaFunction({ OTHER: '1' }),
      Models: lambdaFunction(),
    });

    expect(Object.fromEntries(openToAnyone(stack))).toEqual({
      Session: { SIGN_UP: 'open', ORGANIZATION_CREATORS: '["*"]' },
      SignUp: { SIGN_UP: 'open' },
      Organizations: { ORGANIZATION_CREATORS: '["*"]' },
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
