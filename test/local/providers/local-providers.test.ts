import { expect, it } from 'vitest';
import { provideProviders } from '#local/providers/local-providers.ts';
import { parseTemplate } from '#local/template/template.ts';

const lambda = (variables: Record<string, string>) => ({
  Type: 'AWS::Lambda::Function',
  Properties: { Environment: { Variables: variables } },
});
const secret = { name: 'secret', arn: 'arn:secret', initialValue: '{}' };

/** A stack of two functions that know the providers, and one that does not. */
async function provide(environment: NodeJS.ProcessEnv) {
  await using resources = new AsyncDisposableStack();
  const knows = { PROVIDERS: '{}', PROVIDER_SECRET_ARN: secret.arn };
  const Resources = { Chat: lambda(knows), Models: lambda(knows), Logs: lambda({}) };
  const template = parseTemplate({ stackName: 'S', template: { Resources } });
  const {
    configured,
    settings: all,
    overrides,
  } = await provideProviders(
    { environment, resources },
    { template, resolve: (value) => value, secrets: [secret] },
    { secretsManager: { storedValue: () => '{}' } },
  );
  const settings = [...overrides].map(([name, { PROVIDERS = '' }]) => [name, JSON.parse(PROVIDERS)]);
  return { configured, all, settings: Object.fromEntries(settings) };
}

it('every function that knows the providers is given the same ones of the environment', async () => {
  const vllm = { baseUrl: 'http://127.0.0.1:8000/v1' };

  expect(await provide({ VLLM_BASE_URL: vllm.baseUrl })).toEqual({
    configured: ['vllm'],
    all: { vllm },
    settings: { Chat: { vllm }, Models: { vllm } },
  });
});

it('without any, one demo answers for all of them, and names its model', async () => {
  const { configured, all, settings } = await provide({});

  expect(configured).toEqual([]);
  expect(Object.keys(settings)).toEqual(['Chat', 'Models']);
  expect(settings.Chat).toEqual({
    demo: {
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
      prices: { input: 1, output: 2 },
      models: ['demo-1'],
    },
  });
  expect(settings.Models).toEqual(settings.Chat);
  expect(all).toEqual(settings.Chat);
});
