import { describe, expect, it } from 'vitest';
import { providerCatalog, readProviderAccess } from '#lambdas/inference/providers/catalog.ts';
import type { OperationPaths } from '#lambdas/inference/providers/settings.ts';

const chatAndEmbeddings = (api: string, path: { chat: string | null; embeddings: string | null }) => ({
  'chat.completions': { api, path: path.chat },
  embeddings: { api, path: path.embeddings },
});
const openAi = chatAndEmbeddings('openai', { chat: '/chat/completions', embeddings: '/embeddings' });

function operationsOf(provider: string, operations?: OperationPaths) {
  const settings = {
    [provider]: { baseUrl: 'https://llm.example.com/v1', ...(operations && { operations }) },
  };
  return readProviderAccess(settings).find(({ name }) => name === provider)?.entry.operations;
}

const messages = { api: 'anthropic', path: '/messages' };
const responsesThatKeep = (keeps: string) => ({ responses: { api: 'openai', path: '/responses', keeps } });

describe('The operations of a provider', () => {
  it('are chats and embeddings in the format of OpenAI, unless the provider has another API or more', () => {
    const others = Object.entries(providerCatalog).flatMap(([name, { operations }]) =>
      JSON.stringify(operations) === JSON.stringify(openAi) ? [] : [[name, operations]],
    );

    expect(Object.fromEntries(others)).toEqual({
      openai: { ...openAi, ...responsesThatKeep('items') },
      azure: { ...openAi, ...responsesThatKeep('items') },
      anthropic: { 'chat.completions': { api: 'anthropic', path: '/messages' }, messages },
      google: chatAndEmbeddings('google', { chat: null, embeddings: null }),
      bedrock: {
        ...chatAndEmbeddings('bedrock', { chat: null, embeddings: null }),
        messages: { api: 'bedrock', path: '/anthropic/v1/messages', models: expect.any(RegExp) },
        responses: { api: 'bedrock', path: '/openai/v1/responses', models: expect.any(RegExp) },
      },
      groq: { ...openAi, ...responsesThatKeep('nothing') },
      fireworks: { ...openAi, messages, ...responsesThatKeep('responses') },
      openrouter: { ...openAi, messages, ...responsesThatKeep('nothing') },
      deepseek: {
        'chat.completions': openAi['chat.completions'],
        messages: { api: 'anthropic', path: '/anthropic/v1/messages' },
        ...responsesThatKeep('nothing'),
      },
      xai: { 'chat.completions': openAi['chat.completions'], ...responsesThatKeep('responses') },
      cerebras: { 'chat.completions': openAi['chat.completions'] },
      cohere: { ...openAi, embeddings: { api: 'cohere', path: '/../../v2/embed' } },
      ollama: { ...openAi, ...responsesThatKeep('nothing') },
      vllm: { ...openAi, ...responsesThatKeep('responses') },
    });
    expect(operationsOf('my-llm')).toEqual(openAi);
  });

  it('have the paths of the settings, which stand for the format of OpenAI', () => {
    expect(operationsOf('my-llm', { embeddings: '/v2/embed' })).toEqual({
      ...openAi,
      embeddings: { api: 'openai', path: '/v2/embed' },
    });
    expect(operationsOf('cohere', { embeddings: '/embeddings' })).toEqual(openAi);
    expect(operationsOf('xai', { embeddings: '/embeddings', responses: false })).toEqual(openAi);
  });

  it('have the format of the Responses API', () => {
    const responses = { api: 'openai', path: '/v2/responses' };
    expect(operationsOf('my-llm', { responses: '/v2/responses' })).toEqual({ ...openAi, responses });
  });

  it("have Anthropic's format for messages", () => {
    expect(operationsOf('my-llm', { messages: '/messages' })).toEqual({ ...openAi, messages });
    expect(operationsOf('openrouter', { messages: false, responses: false })).toEqual(openAi);
  });

  it('are messages for Claude only at Bedrock', () => {
    const { models } = operationsOf('bedrock')?.messages ?? {};
    const names = [
      'us.anthropic.claude-opus-4-8',
      'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123',
      'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-5',
      'amazon.nova-pro-v1:0',
      'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.nova-pro-v1:0',
    ];
    expect(names.map((name) => models?.test(name))).toEqual([true, true, true, false, false]);
  });

  it('leave out those that the settings turn off', () => {
    expect(operationsOf('my-llm', { 'chat.completions': false })).toEqual({ embeddings: openAi.embeddings });
    expect(operationsOf('my-llm', { 'chat.completions': false, embeddings: false })).toEqual({});
  });
});
