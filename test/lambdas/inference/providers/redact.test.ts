import { describe, expect, it } from 'vitest';
import { noFacts, type ResponseFacts } from '#lambdas/inference/completion/facts.ts';
import { redact, redactError, redactFacts } from '#lambdas/inference/providers/redact.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';

describe('redactError', () => {
  it('returns an error without the credential unchanged', () => {
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

  it('removes the credential from message, param and code', () => {
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

  it('truncates the error after redaction, so that no part of the credential remains', () => {
    const key = 'sk-0123456789';
    const message = `${'a'.repeat(1995)}${key}${'b'.repeat(9000)}`;
    const texts = { message, param: 'p'.repeat(101), providerCode: 'c'.repeat(101) };
    const { error } = redactError(new GatewayError('provider_error', texts), key).toBody();
    expect(error.message).toBe(`${'a'.repeat(1995)}*****`);
    expect([error.param, error.code]).toEqual(['p'.repeat(100), 'c'.repeat(100)]);
  });
});

describe('redact', () => {
  it.each([
    ['a sk-1, sk-1', 'sk-1', 'a ****, ****'],
    ['a.cd and $& and abcd', 'a.cd', '**** and $& and abcd'],
    ['as it is', null, 'as it is'],
    ['as it is', '', 'as it is'],
    ['mixtral of x', 'x', 'mixtral of x'],
  ])('redacts %j with credential %j to %j', (text, credential, redacted) => {
    expect(redact(text, credential)).toBe(redacted);
  });
});

describe('redactFacts', () => {
  it('redacts the text fields and keeps the token counts', () => {
    const usage = { ...noUsage, outputTokens: 3 };
    const facts: ResponseFacts = {
      responseModel: 'm-sk-1',
      responseId: 'chatcmpl-sk-1',
      serviceTier: 'sk-1-tier',
      speed: 'sk-1',
      inferenceGeo: 'in sk-1',
      usage,
      billedParts: [
        { model: null, usage },
        { model: 'advisor-sk-1', usage },
      ],
      usageWarnings: ['counts_decreased'],
      pricingGaps: ['code_execution'],
      reportedCostUsd: '0.1',
      finishReason: 'sk-1',
    };
    expect(redactFacts(facts, 'sk-1')).toEqual({
      ...facts,
      responseModel: 'm-****',
      responseId: 'chatcmpl-****',
      serviceTier: '****-tier',
      speed: '****',
      inferenceGeo: 'in ****',
      billedParts: [
        { model: null, usage },
        { model: 'advisor-****', usage },
      ],
      finishReason: '****',
    });
    expect(redactFacts(facts, null)).toEqual(facts);
    expect(redactFacts(noFacts, 'sk-1')).toEqual(noFacts);
  });
});
