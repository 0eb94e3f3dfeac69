import { describe, expect, it } from 'vitest';
import { createModelsEndpoint, type ListedModel } from '#lambdas/inference/models/endpoint.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { modelListProblems } from '#test/support/openai-schema/validate.ts';

interface Scenario {
  settings?: ProviderSettingsByName;
  credentials?: string[];
  at?: string;
}

function endpointOf({ settings = {}, credentials = [], at = '2026-11-20T00:00:00Z' }: Scenario) {
  return createModelsEndpoint({
    settings,
    credentials: { providerNames: async () => credentials },
    region: 'eu-west-1',
    now: () => new Date(at),
  });
}

async function list(scenario: Scenario): Promise<ListedModel[]> {
  const response = await endpointOf(scenario)({ pathId: '' });
  expect(modelListProblems(response)).toEqual([]);
  return (response as { data: ListedModel[] }).data;
}

async function owners(scenario: Scenario): Promise<string[]> {
  return [...new Set((await list(scenario)).map(({ owned_by }) => owned_by))];
}

describe('GET /ai/models', () => {
  it("returns OpenAI's format with provider-prefixed ids in alphabetical order", async () => {
    const models = await list({ credentials: ['groq', 'deepseek'] });

    expect(models).toEqual(
      [
        ['deepseek/deepseek-flash', 'deepseek'],
        ['deepseek/deepseek-v4-flash', 'deepseek'],
        ['deepseek/deepseek-v4-pro', 'deepseek'],
        ['groq/openai/gpt-oss-120b', 'groq'],
        ['groq/openai/gpt-oss-20b', 'groq'],
        ['groq/qwen/qwen3.8-27b', 'groq'],
      ].map(([id, owned_by]) => ({
        id,
        object: 'model',
        created: 0,
        owned_by,
        operations: owned_by === 'deepseek' ? ['chat.completions', 'messages'] : ['chat.completions'],
      })),
    );
  });

  it.each<[string, Scenario, string[]]>([
    ['nothing is configured', {}, []],
    ['a provider has a credential', { credentials: ['openai'] }, ['openai']],
    [
      'several providers have a credential',
      { credentials: ['xai', 'anthropic', 'bedrock'] },
      ['anthropic', 'bedrock', 'xai'],
    ],
    ['a credential belongs to an unknown provider', { credentials: ['nosuch', 'constructor'] }, []],
    ["Bedrock uses the function's role", { settings: { bedrock: {} } }, ['bedrock']],
    [
      'a provider has a base URL and no credential',
      { settings: { openai: { baseUrl: 'https://x.test' } } },
      [],
    ],
    [
      'a provider has a credential and no base URL',
      { settings: { azure: { models: ['m'] } }, credentials: ['azure'] },
      [],
    ],
    ['the models are unknown', { settings: { vllm: { baseUrl: 'http://10.0.0.5' } } }, []],
    [
      'the operator configures the models',
      { settings: { vllm: { baseUrl: 'http://10.0.0.5', models: ['m'] } } },
      ['vllm'],
    ],
  ])('lists only available providers when %s', async (_, scenario, expected) => {
    expect(await owners(scenario)).toEqual(expected);
  });

  it('lists configured models instead of those in the price table', async () => {
    const models = await list({
      settings: { openai: { models: ['gpt-6-sol', 'ft:gpt-4o:us::1', 'gpt-6-sol'] } },
      credentials: ['openai'],
    });

    expect(models.map(({ id }) => id)).toEqual(['openai/ft:gpt-4o:us::1', 'openai/gpt-6-sol']);
  });

  it('lists the models that are available at the current time', async () => {
    const count = async (at: string) => (await list({ credentials: ['anthropic'], at })).length;

    expect([await count('2026-11-29T23:59:59Z'), await count('2026-11-30T00:00:00Z')]).toEqual([15, 14]);
  });

  it.each([
    [{}, 'bedrock/eu.anthropic.claude-opus-5'],
    [{ region: 'us-west-2' }, 'bedrock/us.anthropic.claude-opus-5'],
  ])("lists Bedrock's models for the configured region or the function's region: %j", async (bedrock, id) => {
    const ids = (await list({ settings: { bedrock } })).map((model) => model.id);

    expect(ids.filter((modelId) => /\/(us|eu)\.anthropic\.claude-opus-5$/.test(modelId))).toEqual([id]);
  });
});

describe('GET /ai/models/{id}', () => {
  const endpoint = endpointOf({ credentials: ['groq'] });

  it.each(['groq/openai/gpt-oss-20b', 'groq%2Fopenai%2Fgpt-oss-20b'])('finds %s', async (id) => {
    expect(await endpoint({ pathId: id })).toEqual({
      id: 'groq/openai/gpt-oss-20b',
      object: 'model',
      created: 0,
      owned_by: 'groq',
      operations: ['chat.completions'],
    });
  });

  it('says that an embedding model is for embeddings', async () => {
    const { operations } = (await endpointOf({ credentials: ['cohere'] })({
      pathId: 'cohere/embed-v4.0',
    })) as ListedModel;

    expect(operations).toEqual(['embeddings']);
  });

  it.each(['gpt-4o', 'openai/gpt-4o', 'groq/nosuch', '%', '%2F'])('returns 404 for %s', async (id) => {
    await expect(endpoint({ pathId: id })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
    });
  });
});
