import { describe, expect, it } from 'vitest';
import { claudeModels, codexModel, defaultCodexModel } from '#dashboard/issued-key/agents.ts';
import { callableExample, exampleModels, modelsFor } from '#dashboard/issued-key/example-model.ts';
import type { OperationName } from '#lambdas/request-log/operation.ts';

const model = (id: string, operation: OperationName) => ({ id, operations: [operation] });

const models = [
  model('demo/demo-1', 'chat.completions'),
  model('demo/demo-embedding', 'embeddings'),
  model('demo/demo-claude', 'messages'),
  model('azure/my-gpt', 'responses'),
  model('openai/gpt-6-sol', 'chat.completions'),
];
const wellKnown = [
  model('openai/gpt-4o-mini', 'chat.completions'),
  model('openai/text-embedding-3-small', 'embeddings'),
  model('openai/gpt-4o-mini', 'responses'),
];

describe('The models of a test request', () => {
  it('are those for chat completions', () => {
    expect(modelsFor('chat.completions', models)).toEqual(['demo/demo-1', 'openai/gpt-6-sol']);
    expect(callableExample('chat.completions', models)).toBe('demo/demo-1');
    expect(callableExample('chat.completions', [model('demo/demo-embedding', 'embeddings')])).toBeNull();
  });
});

describe('The models in the code', () => {
  it('are those that can be called, each for its operation', () => {
    expect(exampleModels(models)).toEqual({
      'chat.completions': 'demo/demo-1',
      embeddings: 'demo/demo-embedding',
      responses: 'azure/my-gpt',
      claudeCode: claudeModels(['demo/demo-claude']),
      codex: 'azure/my-gpt',
    });
  });

  it('are well known and cheap ones, if they can be called or if none can', () => {
    const expected = {
      'chat.completions': 'openai/gpt-4o-mini',
      responses: 'openai/gpt-4o-mini',
      embeddings: 'openai/text-embedding-3-small',
    };
    expect(exampleModels([...models, ...wellKnown])).toMatchObject(expected);
    expect(exampleModels([])).toEqual({
      ...expected,
      claudeCode: claudeModels([]),
      codex: defaultCodexModel,
    });
  });

  it('are none for the Responses API, and so for Codex, if no provider has it', () => {
    const withoutResponses = exampleModels([model('anthropic/claude-opus-5', 'messages')]);
    expect([withoutResponses.responses, withoutResponses.codex]).toEqual([null, null]);
  });
});

describe('The model of Codex', () => {
  it("is the newest of OpenAI's general models, without variants, or else the first", () => {
    const ids = ['azure/gpt-7-sol', 'openai/gpt-6.2-sol', 'openai/gpt-6.10-sol', 'openai/gpt-6.10-sol-fast'];
    expect(codexModel(ids)).toBe('openai/gpt-6.10-sol');
    expect(codexModel(['azure/gpt-7-sol', 'openai/gpt-4o'])).toBe('azure/gpt-7-sol');
    expect(codexModel([])).toBeNull();
  });
});
