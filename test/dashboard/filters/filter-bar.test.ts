import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { keyListQuery } from '#dashboard/api/organizations.ts';
import { type FilterName, type FilterValues, filterNames } from '#dashboard/filters/fields.ts';
import { FilterBar } from '#dashboard/filters/filter-bar.tsx';
import { names } from '../rendering/markup.ts';
import { renderOnPage } from '../rendering/page.ts';

const ignore = () => {};
const keys = { object: 'list', data: [{ id: 'key_1', name: 'production' }] };

/** The buttons of the bar. */
async function buttonsOf(filters: FilterValues, offered: readonly FilterName[] = filterNames) {
  const bar = createElement(FilterBar, { names: offered, filters, onApply: ignore, onRemove: ignore });
  return names(await renderOnPage(bar, { loaded: [[keyListQuery('org_1').queryKey, keys]] }), 'button');
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
      'Modelcompleted',
      'Remove filter: Model',
      'OperationChat completions',
      'Remove filter: Operation',
      'Keyproduction',
      'Remove filter: Key',
      'OutcomeClosed by the client',
      'Remove filter: Outcome',
      'Add filter',
      'Clear filters',
    ]);
  });

  it('show the id of a key that is no longer listed, and what a link has made up, as it is', async () => {
    expect(await buttonsOf({ api_key_id: 'key_9' })).toContain('Keykey_9');
    expect(await buttonsOf({ outcome: 'toString' })).toContain('OutcometoString');
    expect(await buttonsOf({ operation: 'toString' })).toContain('OperationtoString');
    expect(await buttonsOf({ model: 'key_1' })).toContain('Modelkey_1');
  });

  it('are cleared together from two on', async () => {
    expect(await buttonsOf({ model: 'gpt' })).not.toContain('Clear filters');
    expect(await buttonsOf({ model: 'gpt', user_id: 'u' })).toContain('Clear filters');
  });

  it('cannot be added when all that the view offers are set', async () => {
    expect(await buttonsOf({ model: 'gpt', status: '429' }, ['model'])).toEqual([
      'Modelgpt',
      'Remove filter: Model',
    ]);
  });
});
