import { describe, expect, it } from 'vitest';
import { parseProviders } from '#lib/settings/providers.ts';
import { SettingsError } from '#lib/settings/validation.ts';

const invalidUrl =
  'providers.llm.baseUrl must be an http or https URL without a query, such as https://llm.example.com/v1';
const httpsRequired =
  'providers.llm.baseUrl must use https, except for loopback addresses and, with "private": true, for private networks';
const notPrivate =
  'providers.llm.private requires a baseUrl with a host name or a private IP address, such as http://10.0.0.5:8000/v1';
const linkLocal =
  'providers.llm.baseUrl must not be a link-local address, because clouds serve credentials there';
const userInfo =
  'providers.llm.baseUrl must not contain a user name or password: set the credential with `npm run admin -- provider set`';

describe('providers.*.baseUrl', () => {
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
  ])('accepts %j', (llm) => {
    expect(parseProviders({ llm })).toEqual({ llm });
  });

  it.each<[object, string]>([
    [{ baseUrl: 'http://llm.example.com/v1' }, httpsRequired],
    [{ baseUrl: 'HTTP://llm.example.com/v1' }, httpsRequired],
    [{ baseUrl: 'http://10.0.0.5/v1' }, httpsRequired],
    [{ baseUrl: 'http://10.0.0.5/v1', private: false }, httpsRequired],
    [{ baseUrl: 'http://192.0.2.1/v1' }, httpsRequired],
    [{ baseUrl: 'http://0.0.0.0/v1' }, httpsRequired],
    [{ baseUrl: 'http://192.0.2.1/v1', private: true }, notPrivate],
    [{ baseUrl: 'https://192.0.2.1/v1', private: true }, notPrivate],
    [{ private: true }, notPrivate],
    [{ private: 'true' }, 'providers.llm.private must be true or false: got "true"'],
    [{ baseUrl: 'http://169.254.169.254/latest', private: true }, linkLocal],
    [{ baseUrl: 'https://169.254.170.2/v2' }, linkLocal],
    [{ baseUrl: 'http://2852039166/', private: true }, linkLocal],
    [{ baseUrl: 'https://[fe80::1]/v1' }, linkLocal],
    [{ baseUrl: 'http://[fd00:ec2::254]/v1', private: true }, linkLocal],
    [{ baseUrl: 'llm.example.com/v1' }, invalidUrl],
    [{ baseUrl: 'ftp://10.0.0.5' }, invalidUrl],
    [{ baseUrl: 'https://llm.example.com/v1?' }, invalidUrl],
    [{ baseUrl: 'https://llm.example.com/v1#' }, invalidUrl],
    [{ baseUrl: 'https://user@llm.example.com/v1' }, userInfo],
    [{ baseUrl: 'https://:password@llm.example.com/v1' }, userInfo],
  ])('rejects %j', (llm, message) => {
    expect(() => parseProviders({ llm })).toThrow(new SettingsError(message));
  });

  it.each(['azure', 'ollama', 'vllm', 'my-llm', 'constructor'])('requires a base URL for %s', (name) => {
    expect(() => parseProviders({ [name]: { models: ['m'] } })).toThrow(
      new SettingsError(
        `providers.${name}.baseUrl is required: set the base URL of your resource or server, such as https://RESOURCE.openai.azure.com/openai/v1`,
      ),
    );
  });

  it.each([{}, { baseUrl: 'https://llm.example.com/v1' }])('refuses a provider route with %j', (route) => {
    const message =
      'providers.route cannot be the name of a provider, since route/NAME names a route: use another one';
    expect(() => parseProviders({ route })).toThrow(new SettingsError(message));
  });

  it('does not require a base URL for built-in providers', () => {
    const providers = {
      openai: { prices: { input: 1, output: 2 } },
      bedrock: {},
      mistral: { private: false },
    };

    expect(parseProviders(providers)).toEqual(providers);
  });
});

describe('Settings of a provider', () => {
  const baseUrl = 'https://llm.example.com/v1';
  const priceMessage = 'must be a price in US dollars per million tokens, 0 or more';

  it('accepts all other settings together', () => {
    const prices = { input: 0, output: 0.4, cachedInput: 0.01, cacheWriteInput: 0.2 };
    const requests = {
      streamUsage: false,
      operations: { 'chat.completions': '/chat', embeddings: false },
      reasoningField: 'reasoning',
    };
    const others = { private: false, region: 'us-gov-west-1', models: ['llama-3.3-70b'] };
    const llm = { baseUrl, prices, ...requests, ...others };

    expect(parseProviders({ llm })).toEqual({ llm });
  });

  it('accepts null as the field for reasoning', () => {
    const vllm = { baseUrl, reasoningField: null };

    expect(parseProviders({ vllm })).toEqual({ vllm });
  });

  it('accepts a factor for the prices of the table', () => {
    const azure = { baseUrl, priceFactor: 1.1 };

    expect(parseProviders({ azure })).toEqual({ azure });
  });

  it.each<[object, string]>([
    [
      { url: 'x' },
      'providers.llm.url is not a setting: valid settings are baseUrl, private, region, prices, priceFactor, models, streamUsage, operations, completionsApi, reasoningField',
    ],
    [{ region: 'Frankfurt' }, 'providers.llm.region must be an AWS region such as eu-central-1'],
    [{ priceFactor: 0 }, 'providers.llm.priceFactor must be greater than 0'],
    [{ priceFactor: '1.1' }, 'providers.llm.priceFactor must be a number, such as 1.1'],
    [
      { priceFactor: 1.1, prices: { input: 1, output: 2 } },
      'providers.llm.priceFactor cannot be combined with prices: multiply the prices instead',
    ],
    [{ prices: { input: 1 } }, `providers.llm.prices.output ${priceMessage}`],
    [{ prices: { input: -1, output: 1 } }, `providers.llm.prices.input ${priceMessage}`],
    [
      { prices: { input: 1, output: Number.POSITIVE_INFINITY } },
      `providers.llm.prices.output ${priceMessage}`,
    ],
    [
      { prices: { input: 1, output: 1, cached: 1 } },
      'providers.llm.prices.cached is not a setting: valid settings are input, output, cachedInput, cacheWriteInput',
    ],
    [{ models: 'llama' }, 'providers.llm.models must be an array of model names, such as ["llama-3.3-70b"]'],
    [{ models: ['llama', ''] }, 'providers.llm.models[1] must be a model name, such as "llama-3.3-70b"'],
    [{ models: ['a b'] }, 'providers.llm.models[0] must be a model name, such as "llama-3.3-70b"'],
    [
      { operations: { 'chat.completion': '/chat' } },
      'providers.llm.operations.chat.completion is not a setting: valid settings are chat.completions, embeddings, messages, responses',
    ],
    [{ operations: '/embeddings' }, 'providers.llm.operations must be an object'],
    [{ streamUsage: 'no' }, 'providers.llm.streamUsage must be true or false: got "no"'],
    [
      { reasoningField: 'thinking' },
      'providers.llm.reasoningField must be "reasoning", "reasoning_content" or null',
    ],
  ])('rejects %j', (settings, message) => {
    expect(() => parseProviders({ llm: { baseUrl, ...settings } })).toThrow(new SettingsError(message));
  });

  it.each(['/embeddings', '/v2/embed', '/../api/embed.php', '/~team_1/embed-all', '/a/'])(
    'accepts the path %s of an operation',
    (path) => {
      const llm = { baseUrl, operations: { embeddings: path } };

      expect(parseProviders({ llm })).toEqual({ llm });
    },
  );

  it.each<unknown>([
    '',
    '/',
    'embeddings',
    'https://x.test/embeddings',
    '/a?b=c',
    '/a b',
    '/%2e',
    `/${'a'.repeat(101)}`,
    true,
    null,
    5,
  ])('rejects the path %j of an operation', (path) => {
    expect(() => parseProviders({ llm: { baseUrl, operations: { embeddings: path } } })).toThrow(
      new SettingsError('providers.llm.operations.embeddings must be a path such as "/embeddings", or false'),
    );
  });

  it.each([
    ['anthropic', 'streamUsage', true],
    ['google', 'operations', { embeddings: false }],
    ['bedrock', 'operations', { embeddings: '/embeddings' }],
    ['google', 'reasoningField', 'reasoning'],
    ['bedrock', 'reasoningField', null],
  ])("rejects a setting for requests in OpenAI's format at %s: %s", (name, field, value) => {
    expect(() => parseProviders({ [name]: { [field]: value } })).toThrow(
      new SettingsError(
        `providers.${name}.${field} applies only to providers with OpenAI's format: remove it`,
      ),
    );
  });

  it.each<[unknown, string]>([
    [[], 'providers must be an object'],
    [{ llm: null }, 'providers.llm must be an object'],
    [{ LLM: {} }, 'providers.LLM is not a valid provider name: use lower-case letters, digits and hyphens'],
  ])('rejects providers such as %j', (providers, message) => {
    expect(() => parseProviders(providers)).toThrow(new SettingsError(message));
  });

  it('rejects providers that exceed the size of environment variables', () => {
    const names = Array.from({ length: 100 }, (_, index) => `self-hosted-${index}`);
    const providers = Object.fromEntries(names.map((name) => [name, { baseUrl }]));

    expect(() => parseProviders(providers)).toThrow(
      new SettingsError(
        'providers must not exceed 2700 bytes as JSON, because Lambda limits environment variables to 4 KB: got 5791',
      ),
    );
  });

  it('prevents prototype pollution', () => {
    const malicious = JSON.parse('{"__proto__":{"baseUrl":"https://llm.example.com"}}');
    const nested = JSON.parse('{"openai":{"__proto__":{"private":true}}}');

    expect(parseProviders(malicious)).toEqual({});
    expect(() => parseProviders(nested)).toThrow('providers.openai.__proto__ is not a setting');
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
