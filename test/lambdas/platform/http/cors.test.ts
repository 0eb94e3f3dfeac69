import { describe, expect, it } from 'vitest';
import { createCors, exposedHeaders } from '#lambdas/platform/http/cors.ts';

const app = 'https://app.example.com';
const other = 'https://other.example.com';
const cors = createCors([app, 'http://localhost:5173']);

describe('createCors', () => {
  it('lets pages of an allowed origin read a response and the headers of the gateway', () => {
    expect(cors.headersFor({ method: 'POST', headers: { origin: app } })).toEqual({
      vary: 'origin',
      'access-control-allow-origin': app,
      'access-control-expose-headers':
        'x-request-id, request-id, x-gateway-request-id, x-gateway-provider, x-gateway-provider-request-id, x-gateway-ignored-parameters, x-gateway-attempts, retry-after, retry-after-ms, x-should-retry, x-ratelimit-limit-requests, x-ratelimit-remaining-requests, x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens, x-ratelimit-reset-tokens, anthropic-ratelimit-requests-limit, anthropic-ratelimit-requests-remaining, anthropic-ratelimit-requests-reset, anthropic-ratelimit-tokens-limit, anthropic-ratelimit-tokens-remaining, anthropic-ratelimit-tokens-reset',
    });
    expect(exposedHeaders.split(', ')).toHaveLength(22);
  });

  it.each([other, 'https://app.example.com:8443', 'https://APP.example.com', 'null', '', undefined])(
    'adds no header for the origin %s but that caches must tell origins apart',
    (origin) => {
      expect(cors.headersFor({ method: 'POST', headers: { origin } })).toEqual({ vary: 'origin' });
    },
  );

  it('adds no header if no origin is allowed', () => {
    expect(createCors([]).headersFor({ method: 'POST', headers: { origin: app } })).toEqual({});
  });

  const preflight = (headers: Record<string, string>, method = 'OPTIONS') =>
    cors.preflight({ method, headers: { 'access-control-request-method': 'POST', ...headers } });

  it('answers a preflight request of an allowed origin, with the headers that it asks for', () => {
    const requested = 'authorization, content-type, gateway-user-id, x-stainless-os';
    expect(preflight({ origin: app, 'access-control-request-headers': requested })).toEqual({
      statusCode: 204,
      headers: {
        vary: 'origin',
        'access-control-allow-origin': app,
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': requested,
        'access-control-max-age': '7200',
      },
      body: '',
    });
  });

  it.each(['', 'a,', 'a b', 'a\r\nset-cookie: b', 'é', 'a'.repeat(2001)])(
    'allows no headers if the list %j is not one of header names',
    (names) => {
      const response = preflight({ origin: app, 'access-control-request-headers': names });
      expect(response?.statusCode).toBe(204);
      expect(response?.headers).not.toHaveProperty('access-control-allow-headers');
    },
  );

  it('allows nothing to other origins', () => {
    const nothing = { statusCode: 204, headers: { vary: 'origin' }, body: '' };
    expect([preflight({ origin: other }), preflight({})]).toEqual([nothing, nothing]);
  });

  it('answers no other request, and none if no origin is allowed', () => {
    expect(preflight({ origin: app }, 'POST')).toBeNull();
    const headers = { origin: app, 'access-control-request-method': 'POST' };
    expect(createCors([]).preflight({ method: 'OPTIONS', headers })).toBeNull();
  });
});
