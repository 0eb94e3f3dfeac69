import { describe, expect, it } from 'vitest';
import { outgoingHeaders } from '#lambdas/inference/providers/http/headers.ts';

function headersFor(callerHeaders: Record<string, string>, apiKey: string | null = 'sk-1') {
  return outgoingHeaders({
    call: { apiKey, callerHeaders },
    forwarded: ['user-agent', 'accept'],
    protocolHeaders: { 'anthropic-version': '2023-06-01' },
    apiKeyHeader: 'x-api-key',
  });
}

describe('outgoingHeaders', () => {
  it('returns the fixed headers, the protocol headers, the API key and the allow-listed caller headers', () => {
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

  it('rejects forwarded headers longer than 8,192 bytes', () => {
    const maxValue = 'a'.repeat(8192);
    expect(headersFor({ accept: maxValue })).toMatchObject({ accept: maxValue });
    expect(() => headersFor({ accept: `${maxValue}a` })).toThrow(
      expect.objectContaining({
        status: 400,
        param: 'accept',
        message: 'The header accept must have at most 8192 bytes',
      }),
    );
    expect(headersFor({ 'x-not-forwarded': `${maxValue}a` })).not.toHaveProperty('x-not-forwarded');
  });

  it.each(['a\r\nx-evil: 1', 'a\0b', 'grüße 😀', '\x7f'])('omits the invalid header value %j', (value) => {
    expect(headersFor({ 'user-agent': value, accept: 'application/json' })).toEqual({
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'anthropic-version': '2023-06-01',
      accept: 'application/json',
      'x-api-key': 'sk-1',
    });
  });
});
