import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { costsQuery, providerListQuery } from '#dashboard/api/analytics.ts';
import type { FilterName } from '#dashboard/filters/fields.ts';
import { checkValue, ValueForm } from '#dashboard/filters/value-form.tsx';
import { resolveRange } from '#dashboard/range/range.ts';
import type { CostGroup, CostTotals, ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { costTotals } from '../rendering/cost-totals.ts';
import { all, names, only, texts } from '../rendering/markup.ts';
import { renderOnPage } from '../rendering/page.ts';

const providers = { object: 'list', data: [{ name: 'openai', set_up: true, has_credential: true }] };

function formOf(name: FilterName, value = '', entries: ListedLogEntry[] = [], isLoaded = true) {
  const form = createElement(ValueForm, { name, value, entries, onApply: () => {} });
  return renderOnPage(form, {
    loaded: isLoaded ? [[providerListQuery('org_1').queryKey, providers]] : [],
  });
}

const group = (value: string | null, totals: Partial<CostTotals> = {}): CostGroup => ({
  value,
  totals: costTotals(totals),
});

/** The form of users, after the report of the range has been loaded. */
function reportedForm(groups: CostGroup[]) {
  const { bounds } = resolveRange({ time_zone: 'UTC' }, new Date());
  const query = costsQuery('org_1', { ...bounds, group_by: 'user_id', limit: 20, search: undefined });
  const form = createElement(ValueForm, { name: 'user_id', value: 'b', entries: [], onApply: () => {} });
  return renderOnPage(form, { loaded: [[query.queryKey, { groups }]] });
}

describe('A value that is entered', () => {
  it.each([
    ['model', 'gpt-4o-mini', null],
    ['model', '', 'Enter the exact value'],
    ['user_id', '429 or so', null],
    ['status', '', 'Enter the exact value'],
    ['status', '429', null],
    ['status', '42', 'Enter an HTTP status, such as 429'],
    ['status', 'completed', 'Enter an HTTP status, such as 429'],
  ] as const)('for %s as "%s" is refused: %s', (name, value, problem) => {
    expect(checkValue(name, value)).toBe(problem);
  });
});

describe('The form of a filter', () => {
  it('has a field for texts, with the present value and what the field is', async () => {
    const form = await formOf('session_id', 'session-1');

    expect(texts(form, 'label')).toEqual(['Session']);
    expect(texts(form, 'p')).toEqual(['From the header gateway-session-id.']);
    expect(only(form, 'input').attributes).toMatchObject({
      value: 'session-1',
      placeholder: 'session-4821',
      inputmode: 'text',
      autofocus: '',
    });
    expect(texts(form, 'button')).toEqual(['Apply']);
  });

  it('suggests values of the range below the field, with their requests, and marks the present one', async () => {
    const form = await reportedForm([
      group('a', { requests: 1 }),
      group(null),
      group('b', { requests: 1500 }),
    ]);

    expect(texts(form, 'p')).toEqual(['From the header gateway-user-id.', 'In this range']);
    expect(texts(form, 'li')).toEqual(['a1 request', 'b1.5K requests']);
    expect(all(form, 'li').flatMap((item) => all(item, '[autofocus]'))).toEqual([]);
    expect(texts(form, '[aria-pressed=true]')).toEqual(['b1.5K requests']);
    expect(all(only(form, '[aria-pressed=true]'), 'svg')).toHaveLength(1);
    expect(all(only(form, '[aria-pressed=false]'), 'svg')).toEqual([]);
  });

  it('suggests nothing where the range has no values, and says that they are loading', async () => {
    expect(all(await reportedForm([]), 'ul')).toEqual([]);
    expect(texts(await formOf('user_id'), '[aria-busy=true]')).toEqual(['Loading…']);
  });

  it('suggests values of the list where reports have none', async () => {
    const entries = ['a', 'b'].map((service_tier) => logEntry({ service_tier }));
    const form = await formOf('service_tier', 'b', entries);
    expect(texts(form, 'p').at(-1)).toBe('In the list');
    expect(texts(form, 'li')).toEqual(['a', 'b']);
  });

  it('offers common finish reasons', async () => {
    const form = await formOf('finish_reason');
    expect(texts(form, 'p').at(-1)).toBe('Common');
    expect(texts(form, 'li').slice(0, 3)).toEqual(['stop', 'length', 'tool_calls']);
  });

  it('offers common statuses below a field for digits', async () => {
    const form = await formOf('status');

    expect(only(form, 'input').attributes).toMatchObject({ inputmode: 'numeric' });
    expect(texts(form, 'p')).toEqual(['The HTTP status of the gateway’s response.', 'Common']);
    expect(texts(form, 'li').slice(0, 2)).toEqual(['200OK', '400Bad request']);
  });

  it.each([
    ['outcome', 'Outcome', 6],
    ['operation', 'Operation', 4],
    ['provider', 'Provider', 1],
  ] as const)('is a list for %s, whose first option has the focus', async (name, title, count) => {
    const form = await formOf(name);

    expect(all(form, 'input')).toEqual([]);
    expect(texts(form, 'p')).toEqual([title]);
    expect(all(form, 'button').map(({ attributes }) => 'autofocus' in attributes)).toEqual(
      Array.from({ length: count }, (_, index) => index === 0),
    );
  });

  it('is a search for keys', async () => {
    expect(names(await formOf('api_key_id'), 'input[role=combobox]')).toEqual(['Search keys']);
  });

  it('says that keys or providers are loading', async () => {
    expect(texts(await formOf('api_key_id', '', [], false), '[aria-busy=true]')).toEqual(['Loading…']);
    expect(texts(await formOf('provider', '', [], false), '[aria-busy=true]')).toEqual(['Loading…']);
  });

  it('says that there is nothing to choose', async () => {
    const empty = createElement(ValueForm, { name: 'provider', value: '', entries: [], onApply: () => {} });
    const form = await renderOnPage(empty, {
      loaded: [[providerListQuery('org_1').queryKey, { object: 'list', data: [] }]],
    });
    expect(texts(form, 'p')).toEqual(['There are none yet.']);
    expect(all(form, 'ul')).toEqual([]);
  });
});
