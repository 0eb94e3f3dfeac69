import { describe, expect, it } from 'vitest';
import { SnippetTabs } from '#dashboard/issued-key/snippet-tabs.tsx';
import type { CallableModel } from '#lambdas/accounts/test-request/responses.ts';
import { all, names, renderComponent, textOf } from '#test/dashboard/rendering/markup.ts';

const tabsWith = (models: readonly CallableModel[] | null) =>
  renderComponent(SnippetTabs, { baseUrl: 'https://gateway.example.com/ai', apiKey: '<your key>', models });

describe('The code that uses a key', () => {
  it('waits for the models, and cannot be copied with another one before', () => {
    const tabs = tabsWith(null);
    expect(all(tabs, '[aria-busy=true]').map(textOf)).toEqual(['Loading models…']);
    expect(textOf(tabs)).not.toContain('openai/');
    expect(names(tabs, 'button')).not.toContain('Copy the text for curl');
  });

  it.each<[CallableModel[], string]>([
    [[{ id: 'demo/demo-1', operations: ['chat.completions'] }], 'demo/demo-1'],
    [[], 'openai/gpt-4o-mini'],
  ])('has one of the models %j', (models, model) => {
    const tabs = tabsWith(models);
    expect(textOf(tabs)).toContain(`"model": "${model}"`);
    expect(names(tabs, 'button')).toContain('Copy the text for curl');
  });
});
