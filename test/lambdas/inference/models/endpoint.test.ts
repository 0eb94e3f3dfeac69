import { describe, expect, it } from 'vitest';
import type { RequestKey } from '#lambdas/access/directory.ts';
import {
  clientFormatOf,
  createModelsEndpoint,
  type ListedModel,
} from '#lambdas/inference/models/endpoint.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { OwnedRoute } from '#lambdas/routing/lookup.ts';
import type { RouteTarget } from '#lambdas/routing/route.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { modelListProblems } from '#test/support/openai-schema/validate.ts';

const apiKey = requestKey();
const openAiClient = { apiKey, headers: {}, query: {} };
const anthropicClient = { apiKey, headers: { 'anthropic-version': '2023-06-01' }, query: {} };

interface Scenario {
  settings?: ProviderSettingsByName;
  credentials?: string[];
  at?: string;
  routes?: OwnedRoute[];
}

function endpointOf({ settings = {}, credentials = [], at = '2026-11-20T00:00:00Z', routes = [] }: Scenario) {
  return createModelsEndpoint({
    settings,
    credentials: { providerNames: async () => credentials },
    region: 'eu-west-1',
    routes: { list: async (organizationId) => (organizationId === apiKey.organization_id ? routes : []) },
    now: () => new Date(at),
  });
}

async function list(scenario: Scenario): Promise<ListedModel[]> {
  const response = await endpointOf(scenario)({ ...openAiClient, pathId: '' });
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
        operations: ['chat.completions', 'messages', 'responses'],
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
    expect(await endpoint({ ...openAiClient, pathId: id })).toEqual({
      id: 'groq/openai/gpt-oss-20b',
      object: 'model',
      created: 0,
      owned_by: 'groq',
      operations: ['chat.completions', 'messages', 'responses'],
    });
  });

  it('says that an embedding model is for embeddings', async () => {
    const { operations } = (await endpointOf({ credentials: ['cohere'] })({
      ...openAiClient,
      pathId: 'cohere/embed-v4.0',
    })) as ListedModel;

    expect(operations).toEqual(['embeddings']);
  });

  it.each(['gpt-4o', 'openai/gpt-4o', 'groq/nosuch', '%', '%2F'])('returns 404 for %s', async (id) => {
    await expect(endpoint({ ...openAiClient, pathId: id })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
    });
  });
});

describe("The models for Anthropic's clients", () => {
  const settings = {
    anthropic: { models: ['claude-opus-4-8', 'claude-haiku-4-5'] },
    openai: { models: ['gpt-6-sol', 'text-embedding-3-small'] },
    bedrock: { models: ['us.anthropic.claude-opus-5', 'amazon.nova-pro-v1:0'] },
    deepseek: { models: ['deepseek-v4-pro'] },
  };
  const endpoint = endpointOf({ settings, credentials: ['anthropic', 'openai', 'bedrock', 'deepseek'] });
  const model = (id: string) => ({
    type: 'model',
    id,
    display_name: id,
    created_at: '1970-01-01T00:00:00Z',
  });

  it('are those that can be used for the Messages API, in alphabetical order', async () => {
    expect(await endpoint({ ...anthropicClient, pathId: '' })).toEqual({
      data: [
        model('anthropic/claude-haiku-4-5'),
        model('anthropic/claude-opus-4-8'),
        model('bedrock/amazon.nova-pro-v1:0'),
        model('bedrock/us.anthropic.claude-opus-5'),
        model('deepseek/deepseek-v4-pro'),
        model('openai/gpt-6-sol'),
      ],
      has_more: false,
      first_id: 'anthropic/claude-haiku-4-5',
      last_id: 'openai/gpt-6-sol',
    });
  });

  it('are returned page by page', async () => {
    const query = { limit: ['1'], after_id: ['anthropic/claude-opus-4-8'] };
    expect(await endpoint({ ...anthropicClient, query, pathId: '' })).toEqual({
      data: [model('bedrock/amazon.nova-pro-v1:0')],
      has_more: true,
      first_id: 'bedrock/amazon.nova-pro-v1:0',
      last_id: 'bedrock/amazon.nova-pro-v1:0',
    });
  });

  it.each(['anthropic/claude-opus-4-8', 'anthropic%2Fclaude-opus-4-8'])(
    'are found by their id: %s',
    async (pathId) => {
      expect(await endpoint({ ...anthropicClient, pathId })).toEqual(model('anthropic/claude-opus-4-8'));
    },
  );

  it.each(['openai/text-embedding-3-small', 'anthropic/nosuch'])(
    'do not include %s, which is a 404',
    async (pathId) => {
      const found = endpoint({ ...anthropicClient, pathId });
      await expect(found).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
    },
  );
});

const routeTo = (name: string, ...models: string[]): OwnedRoute => {
  const [first = '', ...others] = models;
  const targets: [RouteTarget, ...RouteTarget[]] = [{ model: first }, ...others.map((model) => ({ model }))];
  return { name, owner: 'organization', route: { strategy: 'order', targets } };
};

describe('Routes in the list of models', () => {
  const settings = { openai: { models: ['gpt-6-sol'] }, vllm: { baseUrl: 'http://10.0.0.5', models: [] } };
  const routes = [
    routeTo('embed', 'cohere/embed-v4.0', 'openai/text-embedding-3-small'),
    routeTo('fast', 'anthropic/claude-5', 'vllm/our-own/model'),
    routeTo('mixed', 'openai/text-embedding-3-small', 'openai/gpt-6-sol'),
    // No request can be sent to these.
    routeTo('nowhere', 'anthropic/claude-5', 'nosuch/model'),
  ];
  const endpoint = endpointOf({ settings, credentials: ['openai'], routes });
  const route = (id: string, operations: string[]) => ({
    id,
    object: 'model',
    created: 0,
    owned_by: 'route',
    operations,
  });
  const completions = ['chat.completions', 'messages', 'responses'];

  it('have the operations that at least one target can be used for', async () => {
    const models = await list({ settings, credentials: ['openai'], routes });

    expect(models.filter(({ owned_by }) => owned_by === 'route')).toEqual([
      route('route/embed', ['embeddings']),
      route('route/fast', completions),
      route('route/mixed', ['chat.completions', 'embeddings', 'messages', 'responses']),
    ]);
    expect(models.map(({ id }) => id)).toEqual([
      'openai/gpt-6-sol',
      'route/embed',
      'route/fast',
      'route/mixed',
    ]);
  });

  it.each(['route/fast', 'route%2Ffast'])('are found by their id: %s', async (pathId) => {
    expect(await endpoint({ ...openAiClient, pathId })).toEqual(route('route/fast', completions));
  });

  it("are those with the Messages API for Anthropic's clients", async () => {
    const { data } = Object(await endpoint({ ...anthropicClient, pathId: '' }));

    expect(data.map(({ id }: { id: string }) => id)).toEqual([
      'openai/gpt-6-sol',
      'route/fast',
      'route/mixed',
    ]);
  });

  it('are those of the organization of the key', async () => {
    const other = requestKey({ organization_id: 'org_other' });
    const found = endpoint({ ...openAiClient, apiKey: other, pathId: 'route/fast' });

    await expect(found).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  });
});

describe('The models of a key that may use only some', () => {
  const scenario = {
    settings: { anthropic: { models: ['claude-5', 'claude-5-mini'] }, openai: { models: ['gpt-6-sol'] } },
    credentials: ['anthropic', 'openai'],
    routes: [routeTo('fast', 'openai/gpt-6-sol'), routeTo('slow', 'openai/gpt-6-sol')],
  };
  const endpoint = endpointOf(scenario);
  const idsFor = async (lists: Partial<RequestKey>, client: typeof openAiClient = openAiClient) => {
    const request = { ...client, apiKey: { ...apiKey, ...lists }, pathId: '' };
    const { data } = Object(await endpoint(request));
    return data.map(({ id }: { id: string }) => id);
  };

  it.each<[string, Partial<RequestKey>, string[]]>([
    ['the key', { key_models: ['openai/*', 'route/fast'] }, ['openai/gpt-6-sol', 'route/fast']],
    ['the organization', { organization_models: ['*/*-mini'] }, ['anthropic/claude-5-mini']],
    [
      'both',
      {
        organization_models: ['anthropic/*', 'route/*'],
        key_models: ['*/claude-5', 'route/slow', 'openai/*'],
      },
      ['anthropic/claude-5', 'route/slow'],
    ],
    ['both, which have none in common', { organization_models: ['openai/*'], key_models: ['route/*'] }, []],
  ])('are those that the lists of %s allow', async (_, lists, ids) => {
    expect(await idsFor(lists)).toEqual(ids);
    expect(await idsFor(lists, anthropicClient)).toEqual(ids);
  });

  it('do not include others by their id', async () => {
    const restricted = { ...apiKey, key_models: ['route/*'] };
    const get = (pathId: string) => endpoint({ ...openAiClient, apiKey: restricted, pathId });

    await expect(get('openai/gpt-6-sol')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
    expect(await get('route/fast')).toMatchObject({ id: 'route/fast' });
  });
});

describe('clientFormatOf', () => {
  const error = new GatewayError('model_not_found', { status: 404, message: 'No such model' });

  it("renders errors in Anthropic's format for its clients", () => {
    const { requestIdHeader, renderError } = clientFormatOf(anthropicClient);
    const { statusCode, body } = renderError(error);
    expect([requestIdHeader, statusCode, JSON.parse(body)]).toEqual([
      'request-id',
      404,
      { type: 'error', error: { type: 'not_found_error', message: 'No such model' }, request_id: null },
    ]);
  });

  it("renders errors in OpenAI's format for others", () => {
    const { requestIdHeader, renderError } = clientFormatOf(openAiClient);
    const { statusCode, body } = renderError(error);
    expect([requestIdHeader, statusCode, JSON.parse(body).error.code]).toEqual([
      'x-request-id',
      404,
      'model_not_found',
    ]);
  });
});
