import { describe, expect, it } from 'vitest';
import { modelsOf } from '#lambdas/inference/models/list.ts';
import { readProviderAccess } from '#lambdas/inference/providers/catalog.ts';
import type { ProviderSettings } from '#lambdas/inference/providers/settings.ts';

const request = { region: 'us-east-1', at: new Date('2026-11-20T00:00:00Z') };

function operationsByModel(provider: string, settings: ProviderSettings) {
  const access = readProviderAccess({ [provider]: settings }).find(({ name }) => name === provider);
  if (access === undefined) return expect.fail(`There is no provider ${provider}`);
  return Object.fromEntries(modelsOf(access, request).map(({ name, operations }) => [name, operations]));
}

describe('The models of a provider', () => {
  const models = ['llama-3.3-70b', 'our/bge-m3', 'llama-3.3-70b'];

  it('are for embeddings if their names say so, and for chats otherwise', () => {
    expect(operationsByModel('vllm', { models })).toEqual({
      'llama-3.3-70b': ['chat.completions', 'messages', 'responses'],
      'our/bge-m3': ['embeddings'],
    });
    expect(operationsByModel('openai', {})).toMatchObject({
      'gpt-6-sol': ['chat.completions', 'messages', 'responses'],
      // OpenAI has it only by responses, which serve chats and messages too.
      'gpt-5.5-pro': ['chat.completions', 'messages', 'responses'],
      'text-embedding-3-small': ['embeddings'],
    });
  });

  it('are not listed for an operation that the provider does not offer', () => {
    const withoutEmbeddings = { models, operations: { embeddings: false } as const };
    expect(operationsByModel('vllm', withoutEmbeddings)).toEqual({
      'llama-3.3-70b': ['chat.completions', 'messages', 'responses'],
    });
    // Chats serve requests of the other two formats.
    const chatAlone = { models, operations: { embeddings: false, responses: false } as const };
    expect(operationsByModel('vllm', chatAlone)).toEqual({
      'llama-3.3-70b': ['chat.completions', 'messages', 'responses'],
    });
    const responsesAlone = {
      models,
      operations: { 'chat.completions': false, embeddings: false } as const,
    };
    expect(operationsByModel('vllm', responsesAlone)).toEqual({ 'llama-3.3-70b': ['responses'] });
    expect(operationsByModel('xai', { models })).toEqual({
      'llama-3.3-70b': ['chat.completions', 'messages', 'responses'],
    });
    const none = {
      models,
      operations: { 'chat.completions': false, embeddings: false, responses: false } as const,
    };
    expect(operationsByModel('vllm', none)).toEqual({});
  });

  it('are all for embeddings if the provider offers nothing else', () => {
    const operations = { 'chat.completions': false } as const;
    expect(operationsByModel('tei', { models: ['our-model', 'bge-m3'], operations })).toEqual({
      'our-model': ['embeddings'],
      'bge-m3': ['embeddings'],
    });
  });
});
