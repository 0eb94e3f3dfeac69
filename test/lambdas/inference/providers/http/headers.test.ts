import { describe, expect, it } from 'vitest';
import { outgoingHeaders } from '#lambdas/inference/providers/http/headers.ts';

function headersFor(callerHeaders: Record<string, string>, apiKey: string | null = 'sk-1') {
  return outgoingHeaders({
    call: { apiKey, callerHeaders },
    forwarded: ['user-agent', 'accept'],
    own: { 'anthropic-version': '2023-06-01' },
    apiKeyHeader: 'x-api-key',
  });
}

describe('the headers of a request to a provider', () => {
  it("are its own, the credential, and those of the caller's that may go on", () => {
    expect(
      headersFor({ 'user-agent': 'OpenAI/JS é', authorization: 'Bearer pt_live_x', cookie: 'c' }),
    ).toEqual({
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'anthropic-version': '2023-06-01',
      'user-agent': 'OpenAI/JS é',
      'x-api-key': 'sk-1',
    });
  });

  it('have at most 8 kB each', () => {
    const longest = 'a'.repeat(8192);
    expect(headersFor({ accept: longest })).toMatchObject({ accept: longest });
    expect(() => headersFor({ accept: `${longest}a` })).toThrow(
      expect.objectContaining({
        status: 400,
        param: 'accept',
        message: 'The header accept must have at most 8192 bytes',
      }),
    );
    expect(headersFor({ 'x-not-forwarded': `${longest}a` })).not.toHaveProperty('x-not-forwarded');
  });

  it.each(['a\r\nx-evil: 1', 'a\0b', 'grüße 😀', '\x7f'])(
    'leave out the value %j, which HTTP cannot carry',
    (value) => {
      expect(headersFor({ 'user-agent': value, accept: 'application/json' })).toEqual({
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        'anthropic-version': '2023-06-01',
        accept: 'application/json',
        'x-api-key': 'sk-1',
      });
    },
  );
});
