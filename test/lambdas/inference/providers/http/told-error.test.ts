import { describe, expect, it } from 'vitest';
import { toldError } from '#lambdas/inference/providers/http/protocol.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';

const told = (message: string, apiKey: string | null) =>
  toldError(new GatewayError('provider_error', { message }), apiKey).message;

describe("a provider's error as it is told", () => {
  it('keeps everything else', () => {
    const error = new GatewayError('rate_limit_exceeded', {
      message: 'Slow down',
      status: 429,
      param: 'model',
      providerCode: 'slow',
      headers: { 'retry-after': '7' },
    });
    expect(toldError(error, 'sk-1')).toEqual(error);
    expect(toldError(error, null)).toEqual(error);
  });

  it('has the credential nowhere', () => {
    const error = new GatewayError('provider_error', {
      message: 'sk-1 and sk-1',
      param: 'headers.sk-1',
      providerCode: 'bad_sk-1',
    });
    expect(toldError(error, 'sk-1').toBody().error).toEqual({
      message: '**** and ****',
      type: 'api_error',
      param: 'headers.****',
      code: 'bad_****',
    });
  });

  it('is cut after the credential was struck out, so that no half of it is left', () => {
    const key = 'sk-0123456789';
    expect(told(`${'a'.repeat(1995)}${key}${'b'.repeat(9000)}`, key)).toBe(`${'a'.repeat(1995)}*****`);
    const names = { message: '', param: 'p'.repeat(101), providerCode: 'c'.repeat(101) };
    const { error } = toldError(new GatewayError('provider_error', names), key).toBody();
    expect([error.param, error.code]).toEqual(['p'.repeat(100), 'c'.repeat(100)]);
  });

  it('reads no pattern in a credential', () => {
    expect(told('a.c and $& and abc', 'a.c')).toBe('*** and $& and abc');
    expect(told('as it is', '')).toBe('as it is');
  });
});
