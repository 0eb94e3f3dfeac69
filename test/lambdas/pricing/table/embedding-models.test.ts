import { describe, expect, it } from 'vitest';
import { isEmbeddingModel } from '#lambdas/pricing/table/known-models.ts';

describe('isEmbeddingModel', () => {
  it.each([
    'text-embedding-3-small',
    'amazon.titan-embed-text-v2:0',
    'us.cohere.embed-v4:0',
    'nvidia/nv-embed-v1',
    'bge-m3',
    'multilingual-e5-large-instruct',
    'e5-mistral-7b-instruct',
    'Alibaba-NLP/gte-Qwen2-7B-instruct',
    'sentence-transformers/all-MiniLM-L6-v2',
    'nomic-ai/search-v2',
  ])('is true of %s', (name) => {
    expect(isEmbeddingModel(name)).toBe(true);
  });

  it.each(['gpt-6-sol', 'demo-1', 'llama-3.3-70b', 'phi-mode5-mini', 'command-a-03-2025', 'grok-4.3'])(
    'is false of %s',
    (name) => {
      expect(isEmbeddingModel(name)).toBe(false);
    },
  );
});
