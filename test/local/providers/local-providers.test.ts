import { expect, it } from 'vitest';
import { configureProviders } from '#local/providers/local-providers.ts';
import { parseTemplate } from '#local/template/template.ts';

const lambda = (variables: Record<string, string>) => ({
  Type: 'AWS::Lambda::Function',
  Properties: { Environment: { Variables: variables } },
});
const secret = { name: 'secret', arn: 'arn:secret', initialValue: '{}' };

/** Configures a stack of three functions with provider settings, one of them without credentials, and one without settings. */
async function configure(environment: NodeJS.ProcessEnv) {
  await using resources = new AsyncDisposableStack();
  const variables = { PROVIDERS: '{}', PROVIDER_SECRET_ARN: secret.arn };
  const Resources = {
    Log: lambda({ PROVIDERS: '{}' }),
    Chat: lambda(variables),
    Models: lambda(variables),
    Logs: lambda({}),
  };
  const template = parseTemplate({ stackName: 'S', template: { Resources } });
  const {
    configured,
    settings: all,
    overrides,
  } = await configureProviders(
    { environment, resources },
    { template, resolve: (value) => value, secrets: [secret] },
    { secretsManager: { storedValue: () => '{}' } },
  );
  const settings = [...overrides].map(([name, { PROVIDERS = '' }]) => [name, JSON.parse(PROVIDERS)]);
  return { configured, all, settings: Object.fromEntries(settings) };
}

it('gives every function with provider settings the same providers of the environment', async () => {
  const vllm = { baseUrl: 'http://127.0.0.1:8000/v1' };

  expect(await configure({ VLLM_BASE_URL: vllm.baseUrl })).toEqual({
    configured: ['vllm'],
    all: { vllm },
    settings: { Chat: { vllm }, Models: { vllm }, Log: { vllm } },
  });
});

it('configures one demo provider for all functions when no provider is configured', async () => {
  const { configured, all, settings } = await configure({});

  expect(configured).toEqual([]);
  expect(Object.keys(settings)).toEqual(['Chat', 'Models', 'Log']);
  expect(settings.Chat).toEqual({
    demo: {
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
      prices: { input: 1, output: 2 },
      operations: { messages: '/messages', responses: '/responses' },
      models: ['demo-1', 'demo-embedding'],
    },
  });
  expect(settings.Models).toEqual(settings.Chat);
  expect(settings.Log).toEqual(settings.Chat);
  expect(all).toEqual(settings.Chat);
});
