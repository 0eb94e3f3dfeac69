import { describe, expect, it } from 'vitest';
import { redact, redactError, redactFacts } from '#lambdas/inference/providers/redact.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';

describe("a provider's error that the caller gets", () => {
  it('keeps everything else', () => {
    const error = new GatewayError('rate_limit_exceeded', {
      message: 'Slow down',
      status: 429,
      param: 'model',
      providerCode: 'slow',
      headers: { 'retry-after': '7' },
    });
    expect(redactError(error, 'sk-1')).toEqual(error);
    expect(redactError(error, null)).toEqual(error);
  });

  it('has the credential nowhere', () => {
    const error = new GatewayError('provider_error', {
      message: 'sk-1 and sk-1',
      param: 'headers.sk-1',
      providerCode: 'bad_sk-1',
    });
    expect(redactError(error, 'sk-1').toBody().error).toEqual({
      message: '**** and ****',
      type: 'api_error',
      param: 'headers.****',
      code: 'bad_****',
    });
  });

  it('is cut after the credential was struck out, so that no half of it is left', () => {
    const key = 'sk-0123456789';
    const message = `${'a'.repeat(1995)}${key}${'b'.repeat(9000)}`;
    const names = { message, param: 'p'.repeat(101), providerCode: 'c'.repeat(101) };
    const { error } = redactError(new GatewayError('provider_error', names), key).toBody();
    expect(error.message).toBe(`${'a'.repeat(1995)}*****`);
    expect([error.param, error.code]).toEqual(['p'.repeat(100), 'c'.repeat(100)]);
  });
});

describe('a text of a provider', () => {
  it.each([
    ['a sk-1, sk-1', 'sk-1', 'a ****, ****'],
    ['a.cd and $& and abcd', 'a.cd', '**** and $& and abcd'],
    ['as it is', null, 'as it is'],
    ['as it is', '', 'as it is'],
    ['mixtral of x', 'x', 'mixtral of x'],
  ])('%j, with the credential %j, is shown as %j', (text, credential, shown) => {
    expect(redact(text, credential)).toBe(shown);
  });

  it('is redacted in the facts of a completion, whose counts stay', () => {
    const usage = { ...noUsage, outputTokens: 3 };
    const facts = { responseModel: 'm-sk-1', usage, reportedCostUsd: '0.1', finishReason: 'sk-1' };
    expect(redactFacts(facts, 'sk-1')).toEqual({ ...facts, responseModel: 'm-****', finishReason: '****' });
  });
});
