import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { keyNameQuery } from '#dashboard/api/keys.ts';
import { type FilterName, type FilterValues, filterNames } from '#dashboard/filters/fields.ts';
import { FilterBar } from '#dashboard/filters/filter-bar.tsx';
import { all, textOf, texts } from '../rendering/markup.ts';
import { renderOnPage } from '../rendering/page.ts';

const ignore = () => {};
const key = { id: 'key_1', name: 'production', last_four: '1111', state: 'active' };

/** The buttons of the bar; those of filters with field and value. */
async function buttonsOf(filters: FilterValues, offered: readonly FilterName[] = filterNames) {
  const bar = createElement(FilterBar, { names: offered, filters, onApply: ignore, onRemove: ignore });
  const shown = await renderOnPage(bar, { loaded: [[keyNameQuery('org_1', 'key_1').queryKey, key]] });
  return all(shown, 'button').map((button) => {
    const [field, value] = texts(button, 'span');
    return value === undefined ? (button.attributes['aria-label'] ?? textOf(button)) : `${field}: ${value}`;
  });
}

describe('The filters of a view', () => {
  it('are only the button to add one, if none is set', async () => {
    expect(await buttonsOf({})).toEqual(['Add filter']);
  });

  it('are shown in the order of the menu, with their values in words', async () => {
    const filters: FilterValues = {
      outcome: 'client_closed',
      model: 'completed',
      api_key_id: 'key_1',
      operation: 'chat.completions',
    };
    expect(await buttonsOf(filters)).toEqual([
      'Model: completed',
      'Remove filter: Model',
      'Operation: Chat completions',
      'Remove filter: Operation',
      'Key: production',
      'Remove filter: Key',
      'Outcome: Closed by the client',
      'Remove filter: Outcome',
      'Add filter',
      'Clear filters',
    ]);
  });

  it('show the id of a key that does not exist, and what a link has made up, as it is', async () => {
    expect(await buttonsOf({ api_key_id: 'key_9' })).toContain('Key: key_9');
    expect(await buttonsOf({ outcome: 'toString' })).toContain('Outcome: toString');
    expect(await buttonsOf({ operation: 'toString' })).toContain('Operation: toString');
    expect(await buttonsOf({ model: 'key_1' })).toContain('Model: key_1');
  });

  it('are cleared together from two on', async () => {
    expect(await buttonsOf({ model: 'gpt' })).not.toContain('Clear filters');
    expect(await buttonsOf({ model: 'gpt', user_id: 'u' })).toContain('Clear filters');
  });

  it('cannot be added when all that the view offers are set', async () => {
    expect(await buttonsOf({ model: 'gpt', status: '429' }, ['model'])).toEqual([
      'Model: gpt',
      'Remove filter: Model',
    ]);
  });
});
