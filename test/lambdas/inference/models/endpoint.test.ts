import { describe, expect, it } from 'vitest';
import { createModelsEndpoint, type ListedModel } from '#lambdas/inference/models/endpoint.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { modelListProblems } from '#test/support/openai-schema/openai-schema.ts';

interface Scene {
  settings?: ProviderSettingsByName;
  /** Providers that have one. */
  credentials?: string[];
  at?: string;
}

function endpointOf({ settings = {}, credentials = [], at = '2026-11-20T00:00:00Z' }: Scene) {
  return createModelsEndpoint({
    settings,
    credentials: { names: async () => credentials },
    region: 'eu-west-1',
    now: () => new Date(at),
  });
}

async function list(scene: Scene): Promise<ListedModel[]> {
  const answer = await endpointOf(scene)({ id: '' });
  expect(modelListProblems(answer)).toEqual([]);
  return (answer as { data: ListedModel[] }).data;
}

const owners = async (scene: Scene) => [...new Set((await list(scene)).map(({ owned_by }) => owned_by))];

describe('the list of models', () => {
  it("has OpenAI's format, with the provider before each name, in order", async () => {
    const models = await list({ credentials: ['groq', 'deepseek'] });

    expect(models).toEqual(
      [
        ['deepseek/deepseek-v4-flash', 'deepseek'],
        ['deepseek/deepseek-v4-pro', 'deepseek'],
        ['groq/openai/gpt-oss-120b', 'groq'],
        ['groq/openai/gpt-oss-20b', 'groq'],
      ].map(([id, owned_by]) => ({ id, object: 'model', created: 0, owned_by })),
    );
  });

  it.each<[string, Scene, string[]]>([
    ['nothing is configured', {}, []],
    ['a provider has a credential', { credentials: ['openai'] }, ['openai']],
    ['several have one', { credentials: ['xai', 'anthropic', 'bedrock'] }, ['anthropic', 'bedrock', 'xai']],
    ['a credential is for nobody', { credentials: ['nosuch', 'constructor'] }, []],
    ["Bedrock has the function's role", { settings: { bedrock: {} } }, ['bedrock']],
    ['an address lacks its credential', { settings: { openai: { baseUrl: 'https://x.test' } } }, []],
    [
      'a credential lacks its address',
      { settings: { azure: { models: ['m'] } }, credentials: ['azure'] },
      [],
    ],
    ['nobody knows the models', { settings: { vllm: { baseUrl: 'http://10.0.0.5' } } }, []],
    [
      'the operator names them',
      { settings: { vllm: { baseUrl: 'http://10.0.0.5', models: ['m'] } } },
      ['vllm'],
    ],
  ])('names the providers that can be called when %s', async (_, scene, expected) => {
    expect(await owners(scene)).toEqual(expected);
  });

  it("takes the operator's names over the table's", async () => {
    const models = await list({
      settings: { openai: { models: ['gpt-6-sol', 'ft:gpt-4o:us::1', 'gpt-6-sol'] } },
      credentials: ['openai'],
    });

    expect(models.map(({ id }) => id)).toEqual(['openai/ft:gpt-4o:us::1', 'openai/gpt-6-sol']);
  });

  it('has the models of the moment', async () => {
    const count = async (at: string) => (await list({ credentials: ['anthropic'], at })).length;

    expect([await count('2026-11-29T23:59:59Z'), await count('2026-11-30T00:00:00Z')]).toEqual([12, 11]);
  });

  it.each([
    [{}, 'bedrock/eu.anthropic.claude-opus-5'],
    [{ region: 'us-west-2' }, 'bedrock/us.anthropic.claude-opus-5'],
  ])(
    "names the models of Bedrock in the settings' region %j, or else in the function's",
    async (bedrock, id) => {
      const ids = (await list({ settings: { bedrock } })).map((model) => model.id);

      expect(ids.filter((each) => /\/(us|eu)\.anthropic\.claude-opus-5$/.test(each))).toEqual([id]);
    },
  );
});

describe('a model', () => {
  const endpoint = endpointOf({ credentials: ['groq'] });

  it.each(['groq/openai/gpt-oss-20b', 'groq%2Fopenai%2Fgpt-oss-20b'])('is found as %s', async (id) => {
    expect(await endpoint({ id })).toEqual({
      id: 'groq/openai/gpt-oss-20b',
      object: 'model',
      created: 0,
      owned_by: 'groq',
    });
  });

  it.each(['gpt-4o', 'openai/gpt-4o', 'groq/nosuch', '%', '%2F'])('is a 404 as %s', async (id) => {
    await expect(endpoint({ id })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
    });
  });
});
