import { describe, expect, it } from 'vitest';
import { parseProviderSettings } from '#lambdas/inference/providers/settings.ts';

const noQuery =
  'providers.llm.baseUrl must be an http or https URL without a query, such as https://llm.example.com/v1';
const httpsNeeded =
  'providers.llm.baseUrl must be https, unless it is of this machine, or of a private network and "private": true says so';
const notPrivate =
  'providers.llm.private needs a baseUrl with a name or a private address, such as http://10.0.0.5:8000/v1';
const linkLocal =
  'providers.llm.baseUrl must not be a link-local address: there the cloud keeps its credentials';
const userInfo =
  'providers.llm.baseUrl must not hold a user name or a password: a credential is set by itself';

describe("a provider's address", () => {
  it.each([
    { baseUrl: 'https://llm.example.com/v1' },
    { baseUrl: 'https://192.0.2.1/v1' },
    { baseUrl: 'https://10.0.0.5/v1' },
    { baseUrl: 'http://127.0.0.1:8000/v1' },
    { baseUrl: 'http://localhost:8000/v1' },
    { baseUrl: 'http://[::1]:8000/v1' },
    { baseUrl: 'http://10.0.0.5:8000/v1', private: true },
    { baseUrl: 'http://llm.internal/v1', private: true },
    { baseUrl: 'http://[fd12::5]/v1', private: true },
    { baseUrl: 'https://llm.internal/v1', private: true },
    { baseUrl: 'https://192.0.2.1/v1', private: false },
    { private: false },
  ])('may be %j', (llm) => {
    expect(parseProviderSettings({ llm })).toEqual({ llm });
  });

  it.each<[object, string]>([
    [{ baseUrl: 'http://llm.example.com/v1' }, httpsNeeded],
    [{ baseUrl: 'http://10.0.0.5/v1' }, httpsNeeded],
    [{ baseUrl: 'http://10.0.0.5/v1', private: false }, httpsNeeded],
    [{ baseUrl: 'http://192.0.2.1/v1' }, httpsNeeded],
    [{ baseUrl: 'http://0.0.0.0/v1' }, httpsNeeded],
    [{ baseUrl: 'http://192.0.2.1/v1', private: true }, notPrivate],
    [{ baseUrl: 'https://192.0.2.1/v1', private: true }, notPrivate],
    [{ private: true }, notPrivate],
    [{ private: 'true' }, 'providers.llm.private must be true or false'],
    [{ baseUrl: 'http://169.254.169.254/latest', private: true }, linkLocal],
    [{ baseUrl: 'https://169.254.170.2/v2' }, linkLocal],
    [{ baseUrl: 'http://2852039166/', private: true }, linkLocal],
    [{ baseUrl: 'https://[fe80::1]/v1' }, linkLocal],
    [{ baseUrl: 'http://[fd00:ec2::254]/v1', private: true }, linkLocal],
    [{ baseUrl: 'https://llm.example.com/v1?' }, noQuery],
    [{ baseUrl: 'https://llm.example.com/v1#' }, noQuery],
    [{ baseUrl: 'https://user@llm.example.com/v1' }, userInfo],
    [{ baseUrl: 'https://:password@llm.example.com/v1' }, userInfo],
  ])('may not be %j', (llm, message) => {
    expect(() => parseProviderSettings({ llm })).toThrow(new Error(message));
  });
});

describe('settings of providers that aim at the language', () => {
  it('may be of a provider called constructor', () => {
    const settings = { constructor: { baseUrl: 'https://llm.example.com' } };
    expect(parseProviderSettings(settings)).toEqual(settings);
  });

  it.each([
    '{"__proto__":{"baseUrl":"https://llm.example.com"}}',
    '{"llm":{"__proto__":{"baseUrl":"https://llm.example.com"}}}',
    '{"llm":{"constructor":{"prototype":{"baseUrl":"x"}}}}',
    '{"llm":{"prices":{"__proto__":{"input":1,"output":1}}}}',
  ])('are refused: %s', (json) => {
    expect(() => parseProviderSettings(JSON.parse(json))).toThrow(/is not a (provider name|setting|price)/);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
