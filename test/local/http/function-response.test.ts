import { describe, expect, it } from 'vitest';
import { readResponseHead } from '#local/http/function-response.ts';

describe("The head of a function's response", () => {
  it.each([
    'Authorization',
    'Connection',
    'Content-MD5',
    'Date',
    'Max-Forwards',
    'Server',
    'User-Agent',
    'WWW-Authenticate',
  ])('has %s renamed', (name) => {
    expect(readResponseHead({ statusCode: 401, headers: { [name]: 'value' } })).toEqual({
      statusCode: 401,
      headers: { [`x-amzn-remapped-${name.toLowerCase()}`]: 'value' },
    });
  });

  it.each(['Expect', 'Host', 'Proxy-Authenticate', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade', 'Via'])(
    'lacks %s',
    (name) => {
      expect(readResponseHead({ headers: { [name]: 'value' } })).toEqual({ statusCode: 200, headers: {} });
    },
  );

  it('keeps other headers, with all their values', () => {
    const head = readResponseHead({
      statusCode: '429',
      headers: { 'Retry-After': '1', 'Content-Length': '2' },
      multiValueHeaders: { Allow: ['GET', 'POST'], 'WWW-Authenticate': ['Basic', 'Bearer'] },
      cookies: ['a=1', 'b=2'],
    });

    expect(head).toEqual({
      statusCode: 429,
      headers: {
        'retry-after': '1',
        'content-length': '2',
        allow: ['GET', 'POST'],
        'x-amzn-remapped-www-authenticate': ['Basic', 'Bearer'],
        'set-cookie': ['a=1', 'b=2'],
      },
    });
  });
});
