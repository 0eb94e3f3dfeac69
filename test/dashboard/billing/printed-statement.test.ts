import { describe, expect, it } from 'vitest';
import { StatementSheet } from '#dashboard/billing/printed-statement.tsx';
import { formatDateTime } from '#dashboard/components/values/time-format.ts';
import type { CostTotals, Statement } from '#lambdas/accounts/analytics/responses.ts';
import { costTotals } from '../rendering/cost-totals.ts';
import { all, only, type RenderedElement, renderComponent, textOf, texts } from '../rendering/markup.ts';

const totals = costTotals({
  cost_usd: '12.345678901',
  requests: 1200,
  input_tokens: 3,
  output_tokens: 4,
});
const model = { provider: 'openai', model: 'gpt-4o' };
const line = { ...model, operation: 'embeddings', service_tier: 'priority', api_key_id: 'key_1' } as const;

const statement: Statement = {
  month: '2026-11',
  start: '2026-11-01T00:00:00.000Z',
  end: '2026-12-01T00:00:00.000Z',
  final: true,
  complete_until: '2026-12-01T00:00:00.000Z',
  organization: { id: 'org_1', name: 'Acme' },
  totals,
  by_model: [{ ...model, ...totals }],
  by_key: [
    { api_key_id: 'key_1', api_key_name: 'production', ...totals },
    { api_key_id: 'key_2', api_key_name: null, ...totals },
  ],
  lines: [
    { ...line, api_key_name: 'production', ...totals },
    { ...line, service_tier: null, api_key_name: null, ...totals },
  ],
};

const sheetOf = (fields: Partial<Statement> = {}) =>
  renderComponent(StatementSheet, { statement: { ...statement, ...fields } });

/** The facts and totals, by their labels. */
function factsOf(sheet: RenderedElement): Record<string, string> {
  const values = texts(sheet, 'dd');
  return Object.fromEntries(texts(sheet, 'dt').map((label, index) => [label, values[index] ?? '']));
}

describe('The totals of a statement', () => {
  it('are exact', () => {
    expect(factsOf(sheetOf())).toMatchObject({
      Cost: '$12.345678901',
      Requests: '1,200',
      'Input tokens': '3',
      'Output tokens': '4',
    });
    expect(texts(sheetOf(), 'p')).toHaveLength(1);
  });

  it('name what is not certain, with exact amounts', () => {
    const uncertain: Partial<CostTotals> = {
      uncertain_cost_share: 0.25,
      assumed_requests: 2,
      assumed_cost_usd: '1.2300045',
      estimated_requests: 1,
      estimated_cost_usd: '0.0000012',
      unpriced_requests: 3,
    };
    expect(texts(sheetOf({ totals: { ...totals, ...uncertain } }), 'p').slice(0, -1)).toEqual([
      '25.0% of the cost is not certain.',
      '$1.2300045 is assumed (2 requests): the price or a part of the usage is not certain.',
      '$0.0000012 is estimated (1 request): the usage is estimated from the texts, since the provider did not report all of it.',
      '3 requests have no known price, and count as $0.',
    ]);
  });
});

describe('A statement', () => {
  it('names its organization, its days and its state', () => {
    const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
    const days = format.formatRange(new Date('2026-11-01T00:00:00Z'), new Date('2026-11-30T00:00:00Z'));

    expect(factsOf(sheetOf())).toMatchObject({
      Organization: `${statement.organization.name}${statement.organization.id}`,
      Period: `${days}Days of UTC`,
      State: 'FinalAll requests are counted',
    });
  });

  it('says up to when it is complete before it is final', () => {
    const complete_until = '2026-11-23T12:00:00.000Z';
    const time = formatDateTime(new Date(complete_until), undefined, 'UTC').replaceAll('\u202f', ' ');
    const preliminary = sheetOf({ final: false, complete_until });

    expect(factsOf(preliminary).State).toBe(`PreliminaryComplete up to ${time}`);
    expect(textOf(preliminary)).toContain(`requests up to ${time} are included.`);
    expect(textOf(sheetOf())).not.toContain('are included');
  });

  it('names its organization and month on each page of paper', () => {
    const titles = all(sheetOf(), 'thead').map(({ attributes }) => attributes['data-print-title']);
    expect(titles).toEqual(Array.from({ length: 3 }, () => 'Acme · Statement, November 2026'));
  });

  it('has the costs by model, by key and line by line', () => {
    const rowsOf = (label: string) => {
      const [, ...rows] = all(only(sheetOf(), `table[aria-label=${label}]`), 'tr');
      return rows.map((row) => [...texts(row, 'th'), ...texts(row, 'td')]);
    };
    const names = (label: string, count: number) => rowsOf(label).map((row) => row.slice(0, count));

    expect(names('By model', 1)).toEqual([['openai/gpt-4o'], ['Total']]);
    expect(names('By key', 1)).toEqual([['production'], ['key_2'], ['Total']]);
    expect(names('All lines', 4).slice(0, 2)).toEqual([
      ['openai/gpt-4o', 'Embeddings', 'Priority', 'production'],
      ['openai/gpt-4o', 'Embeddings', 'Standard', 'key_1'],
    ]);
    expect(rowsOf('By model').map((row) => row.at(-1))).toEqual(['$12.345678901', '$12.345678901']);
  });
});
