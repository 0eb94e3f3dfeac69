import { describe, expect, it } from 'vitest';
import { parseProviders } from '#lib/settings/providers.ts';
import { SettingsError } from '#lib/settings/validation.ts';

const noUrl =
  'providers.llm.baseUrl must be an http or https URL without a query, such as https://llm.example.com/v1';
const httpsNeeded =
  'providers.llm.baseUrl must be https, unless it is of this machine or, with "private": true, of a private network';
const notPrivate =
  'providers.llm.private needs a baseUrl with a name or a private address, such as http://10.0.0.5:8000/v1';
const linkLocal =
  'providers.llm.baseUrl must not be a link-local address: clouds offer their credentials there';
const userInfo =
  'providers.llm.baseUrl must not hold a user name or a password: set the credential with `npm run admin -- provider set`';

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
    { baseUrl: 'https://llm.example.com/@v1' },
  ])('may be %j', (llm) => {
    expect(parseProviders({ llm })).toEqual({ llm });
  });

  it.each<[object, string]>([
    [{ baseUrl: 'http://llm.example.com/v1' }, httpsNeeded],
    [{ baseUrl: 'HTTP://llm.example.com/v1' }, httpsNeeded],
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
    [{ baseUrl: 'llm.example.com/v1' }, noUrl],
    [{ baseUrl: 'ftp://10.0.0.5' }, noUrl],
    [{ baseUrl: 'https://llm.example.com/v1?' }, noUrl],
    [{ baseUrl: 'https://llm.example.com/v1#' }, noUrl],
    [{ baseUrl: 'https://user@llm.example.com/v1' }, userInfo],
    [{ baseUrl: 'https://:password@llm.example.com/v1' }, userInfo],
  ])('may not be %j', (llm, message) => {
    expect(() => parseProviders({ llm })).toThrow(new SettingsError(message));
  });

  it.each(['azure', 'ollama', 'vllm', 'my-llm', 'constructor'])('is needed for %s', (name) => {
    expect(() => parseProviders({ [name]: { models: ['m'] } })).toThrow(
      new SettingsError(
        `providers.${name}.baseUrl is needed: the address of your resource or server, such as https://RESOURCE.openai.azure.com/openai/v1`,
      ),
    );
  });

  it('is known of the other providers', () => {
    const known = { openai: { prices: { input: 1, output: 2 } }, bedrock: {}, mistral: { private: false } };

    expect(parseProviders(known)).toEqual(known);
  });
});

describe('the settings of a provider', () => {
  const baseUrl = 'https://llm.example.com/v1';
  const aPrice = 'must be US dollars per million tokens, a number not below 0';

  it('may all be given', () => {
    const prices = { input: 0, output: 0.4, cachedInput: 0.01, cacheWriteInput: 0.2 };
    const llm = { baseUrl, private: false, region: 'us-gov-west-1', prices, models: ['llama-3.3-70b'] };

    expect(parseProviders({ llm })).toEqual({ llm });
  });

  it.each<[object, string]>([
    [{ url: 'x' }, 'providers.llm.url is not a setting: use baseUrl, private, region, prices, models'],
    [{ region: 'Frankfurt' }, 'providers.llm.region must be an AWS region such as eu-central-1'],
    [{ prices: { input: 1 } }, `providers.llm.prices.output ${aPrice}`],
    [{ prices: { input: -1, output: 1 } }, `providers.llm.prices.input ${aPrice}`],
    [{ prices: { input: 1, output: Number.POSITIVE_INFINITY } }, `providers.llm.prices.output ${aPrice}`],
    [
      { prices: { input: 1, output: 1, cached: 1 } },
      'providers.llm.prices.cached is not a setting: use input, output, cachedInput, cacheWriteInput',
    ],
    [
      { models: 'llama' },
      'providers.llm.models must be a list of names of models, such as ["llama-3.3-70b"]',
    ],
    [
      { models: ['llama', ''] },
      'providers.llm.models[1] must be the name of a model, such as "llama-3.3-70b"',
    ],
    [{ models: ['a b'] }, 'providers.llm.models[0] must be the name of a model, such as "llama-3.3-70b"'],
  ])('may not be %j', (settings, message) => {
    expect(() => parseProviders({ llm: { baseUrl, ...settings } })).toThrow(new SettingsError(message));
  });

  it.each<[unknown, string]>([
    [[], 'providers must be an object'],
    [{ llm: null }, 'providers.llm must be an object'],
    [{ LLM: {} }, 'providers.LLM is not a name of a provider: use lower-case letters, digits and hyphens'],
  ])('are by name, unlike %j', (providers, message) => {
    expect(() => parseProviders(providers)).toThrow(new SettingsError(message));
  });

  it('fit in the environment of a function', () => {
    const names = Array.from({ length: 100 }, (_, index) => `self-hosted-${index}`);
    const providers = Object.fromEntries(names.map((name) => [name, { baseUrl }]));

    expect(() => parseProviders(providers)).toThrow(
      new SettingsError(
        "providers must fit in 3000 bytes as JSON, because a function's environment is small: got 5791",
      ),
    );
  });

  it('do not reach into the language', () => {
    const hostile = JSON.parse('{"__proto__":{"baseUrl":"https://llm.example.com"}}');
    const nested = JSON.parse('{"openai":{"__proto__":{"private":true}}}');

    expect(parseProviders(hostile)).toEqual({});
    expect(() => parseProviders(nested)).toThrow('providers.openai.__proto__ is not a setting');
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
