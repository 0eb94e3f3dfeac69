import { describe, expect, it } from 'vitest';
import { CostSection, chargeTitle } from '#dashboard/logs/entry/cost-section.tsx';
import type { Charge, LogEntryDetails } from '#lambdas/accounts/analytics/responses.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { all, only, renderComponent, textOf, texts } from '../rendering/markup.ts';

const charge = (type: string, cost_usd: string): Charge => ({
  type,
  count: 1200,
  price_usd: '2.5',
  per: 1_000_000,
  cost_usd,
});
const charges = [charge('uncached_text_input_tokens', '0.00309'), charge('text_output_tokens', '0.00163')];
const breakdown = [{ model: 'gpt-4o', charges, cost_usd: '0.00472' }];

const section = (fields: Partial<LogEntryDetails>) =>
  renderComponent(CostSection, { entry: { ...logEntry(), cost_breakdown: breakdown, ...fields } });

/** The text beside the heading. */
const badge = (fields: Partial<LogEntryDetails>) => {
  const [head] = all(only(section(fields), 'section'), 'div');
  return head === undefined ? [] : texts(head, 'span');
};

describe('The cost of a request', () => {
  it.each([
    [{}, []],
    [{ usage_source: 'estimated' }, ['Estimated usage']],
    [{ pricing: 'assumed' }, ['Assumed price']],
    [{ pricing: 'unknown' }, ['Unpriced']],
  ] as const)('of %j has the badge %j', (fields, expected) => {
    expect(badge(fields)).toEqual(expected);
  });

  it('is explained by its charges, which add up to it', () => {
    const shown = section({});
    const rows = all(only(shown, 'table'), 'tr').map(
      (row) => texts(row, 'td').at(-1) ?? texts(row, 'th').at(-1),
    );

    expect(rows).toEqual(['Cost', '$0.00309', '$0.00163', '$0.00472']);
    expect(texts(shown, 'caption')).toEqual(['Cost breakdown']);
    expect(texts(shown, 'p')[0]).toBe('65% is for input.');
  });

  it('says that the input beside cached tokens is the rest', () => {
    const cached = charge('cached_text_input_tokens', '0.0001');
    const titles = (of: Charge[]) => of.map((each) => chargeTitle(each, of));
    expect(titles(charges)).toEqual(['Input', 'Output']);
    expect(titles([...charges, cached])).toEqual(['Input, not cached', 'Output', 'Cached input']);
  });

  it('has a heading and a subtotal for each of several parts', () => {
    const parts = [
      { model: 'gpt-4o', charges: charges.slice(0, 1), cost_usd: '0.00309' },
      { model: 'gpt-4o-mini', charges: charges.slice(1), cost_usd: '0.00163' },
    ];
    const rows = all(section({ cost_breakdown: parts }), 'tr').slice(1);

    expect(rows.map((row) => [textOf(all(row, 'th')[0] ?? ''), texts(row, 'td').at(-1)])).toEqual([
      ['gpt-4o', undefined],
      ['Input1,200 × $2.50 per 1M tokens', '$0.00309'],
      ['Subtotal of gpt-4o', '$0.00309'],
      ['gpt-4o-mini', undefined],
      ['Output1,200 × $2.50 per 1M tokens', '$0.00163'],
      ['Subtotal of gpt-4o-mini', '$0.00163'],
      ['Total', '$0.00472'],
    ]);
  });

  it.each([
    [{ pricing: 'unknown' }, 'Unpriced'],
    [{ pricing: null, outcome: 'timeout' }, 'No cost reported'],
    [{ usage_source: 'estimated' }, 'estimated $0.00472'],
    [{ pricing: 'provider' }, '$0.00472'],
  ] as const)('of %j that cannot be broken down is read as "%s"', (fields, text) => {
    const shown = section({ ...fields, cost_breakdown: null });
    expect(all(shown, 'table')).toEqual([]);
    expect(texts(shown, 'p[class=text-lg font-semibold tabular-nums]')).toEqual([text]);
  });

  it('names the table of prices, and says how sure it is', () => {
    const sentences = texts(section({ pricing_version: 'v7' }), 'p').slice(-2);
    expect(sentences).toEqual([
      'Calculated with the built-in prices of this model and tier.',
      expect.stringMatching(/^Prices: /),
    ]);
  });
});
