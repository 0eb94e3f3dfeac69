import { describe, expect, it } from 'vitest';
import { checkPatterns, editableModels, modelsOf } from '#dashboard/allowed-models/patterns.ts';
import { fc } from '#test/support/fast-check.ts';

describe('The entered patterns of allowed models', () => {
  it('are one on each line, without spaces around them, empty lines and repetitions', () => {
    const patterns = ' openai/* \r\n\n\troute/*\nopenai/*\n';
    expect(modelsOf({ choice: 'only', patterns })).toEqual(['openai/*', 'route/*']);
    expect(checkPatterns(patterns)).toBeNull();
  });

  it('do not count where all models are chosen', () => {
    expect(modelsOf({ choice: 'all', patterns: 'openai/*' })).toBeNull();
  });

  it('begin with the present list', () => {
    const pattern = fc.stringMatching(/^[a-z*]{1,8}\/[A-Za-z0-9.:* -]{0,10}[a-z*]$/);
    const list = fc.option(fc.uniqueArray(pattern, { minLength: 1, maxLength: 100 }));
    fc.assert(
      fc.property(list, (models) => {
        expect(modelsOf(editableModels(models))).toEqual(models);
      }),
    );
  });

  it.each([
    ['*', null],
    ['openai/gpt-5.6\nroute/*', null],
    ['', 'Enter at least one pattern, such as openai/*'],
    [' \n ', 'Enter at least one pattern, such as openai/*'],
    [
      ['openai/*', 'gpt-*'].join('\n'),
      '“gpt-*” has no provider: enter patterns such as openai/* or anthropic/claude-*',
    ],
  ])('%j are refused: %s', (text, reason) => {
    expect(checkPatterns(text)).toBe(reason);
  });
});
