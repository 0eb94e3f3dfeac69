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

describe('The operations of a provider', () => {
  it('are chats and embeddings in the format of OpenAI, unless the provider has another API', () => {
    const others = Object.entries(providerCatalog).flatMap(([name, { operations }]) =>
      JSON.stringify(operations) === JSON.stringify(openAi) ? [] : [[name, operations]],
    );

    expect(Object.fromEntries(others)).toEqual({
      anthropic: { 'chat.completions': { api: 'anthropic', path: '/messages' } },
      google: chatAndEmbeddings('google', { chat: null, embeddings: null }),
      bedrock: chatAndEmbeddings('bedrock', { chat: null, embeddings: null }),
      deepseek: { 'chat.completions': openAi['chat.completions'] },
      xai: { 'chat.completions': openAi['chat.completions'] },
      cerebras: { 'chat.completions': openAi['chat.completions'] },
      cohere: { ...openAi, embeddings: { api: 'cohere', path: '/../../v2/embed' } },
    });
    expect(operationsOf('my-llm')).toEqual(openAi);
  });

  it('have the paths of the settings, which stand for the format of OpenAI', () => {
    expect(operationsOf('my-llm', { embeddings: '/v2/embed' })).toEqual({
      ...openAi,
      embeddings: { api: 'openai', path: '/v2/embed' },
    });
    expect(operationsOf('cohere', { embeddings: '/embeddings' })).toEqual(openAi);
    expect(operationsOf('xai', { embeddings: '/embeddings' })).toEqual(openAi);
  });

  it('leave out those that the settings turn off', () => {
    expect(operationsOf('my-llm', { 'chat.completions': false })).toEqual({ embeddings: openAi.embeddings });
    expect(operationsOf('my-llm', { 'chat.completions': false, embeddings: false })).toEqual({});
  });
});
