import { describe, expect, it } from 'vitest';
import { allowsModel, readModelPatterns, refusingList } from '#lambdas/access/models/allow-list.ts';
import { fc } from '#test/support/fast-check.ts';

describe('A pattern', () => {
  it.each([
    ['*', 'openai/gpt-5.6'],
    ['*', 'route/fast'],
    ['openai/*', 'openai/gpt-5.6'],
    ['openai/*', 'openai/ft:gpt-5.6/acme'],
    ['openai/gpt-5.6', 'openai/gpt-5.6'],
    ['anthropic/claude-*', 'anthropic/claude-5'],
    ['*/claude-*', 'bedrock/eu.anthropic/claude-5'],
    ['bedrock/eu.*-v1:*', 'bedrock/eu.claude-v1:0'],
    ['a/**b', 'a/b'],
    ['a/*b*b', 'a/bb'],
    ['a/*ab', 'a/aab'],
    ['route/*', 'route/fast'],
  ])('%s allows %s', (pattern, model) => {
    expect(allowsModel([pattern], model)).toBe(true);
  });

  it.each([
    ['openai/*', 'openai'],
    ['openai/*', 'azure/openai/gpt-5.6'],
    ['openai/gpt-5.6', 'openai/gpt-5.6-mini'],
    ['openai/gpt-5.6', 'openai/gpt-5x6'],
    ['openai/gpt-5.6', 'openai/GPT-5.6'],
    ['openai/*-mini', 'openai/gpt-5.6'],
    ['a/*b*b', 'a/b'],
    ['a/ab*ba', 'a/aba'],
    ['*/x', '/y'],
    ['route/*', 'openai/route/fast'],
    ['openai/[g]*', 'openai/gpt-5.6'],
  ])('%s does not allow %s', (pattern, model) => {
    expect(allowsModel([pattern], model)).toBe(false);
  });

  it('allows what a regular expression of the same meaning allows', () => {
    const text = fc.stringMatching(/^[ab/*.]{0,8}$/);
    fc.assert(
      fc.property(text, fc.stringMatching(/^[ab/.]{0,8}$/), (pattern, model) => {
        const literals = pattern.split('*').map((literal) => RegExp.escape(literal));
        const expected = new RegExp(`^${literals.join('.*')}$`).test(model);

        expect(allowsModel([pattern], model)).toBe(expected);
      }),
    );
  });
});

describe('A list of patterns', () => {
  it('allows what one of them allows', () => {
    const patterns = ['openai/*', 'route/fast'];
    const models = ['openai/gpt-5.6', 'route/fast', 'route/slow', 'anthropic/claude-5'];

    expect(models.filter((model) => allowsModel(patterns, model))).toEqual(['openai/gpt-5.6', 'route/fast']);
  });

  it('is read as it is', () => {
    const patterns = ['*', 'openai/*', `a/${'b'.repeat(254)}`];

    expect(readModelPatterns(patterns)).toEqual(patterns);
  });

  const length = 'must be a pattern of 1 to 256 characters, without control characters';
  it.each<[unknown, string, string]>([
    [null, 'models', 'models must be a list of 1 to 100 patterns'],
    ['openai/*', 'models', 'models must be a list of 1 to 100 patterns'],
    [[], 'models', 'models must be a list of 1 to 100 patterns'],
    [Array.from({ length: 101 }, () => '*'), 'models', 'models must be a list of 1 to 100 patterns'],
    [['*', 1], 'models[1]', `models[1] ${length}`],
    [['*', ''], 'models[1]', `models[1] ${length}`],
    [[`a/${'b'.repeat(255)}`], 'models[0]', `models[0] ${length}`],
    [['openai/\n'], 'models[0]', `models[0] ${length}`],
    [['openai/\ud800'], 'models[0]', `models[0] ${length}`],
    [
      ['gpt-5.6'],
      'models[0]',
      'models[0] must have the form <provider>/<model>, such as openai/*: got gpt-5.6',
    ],
  ])('%j is refused', (value, param, message) => {
    expect(() => readModelPatterns(value)).toThrow(expect.objectContaining({ status: 400, param, message }));
  });
});

describe('refusingList', () => {
  const openAi = ['openai/*'];
  const anthropic = ['anthropic/*'];

  it.each([
    [{}, null],
    [{ key_models: openAi }, null],
    [{ organization_models: openAi }, null],
    [{ organization_models: openAi, key_models: openAi }, null],
    [{ key_models: anthropic }, 'api_key'],
    [{ organization_models: openAi, key_models: anthropic }, 'api_key'],
    [{ organization_models: anthropic, key_models: openAi }, 'organization'],
    [{ organization_models: anthropic }, 'organization'],
  ])('requires that all lists of %j allow a model', (lists, refusing) => {
    expect(refusingList(lists, 'openai/gpt-5.6')).toBe(refusing);
  });
});
