import { describe, expect, it } from 'vitest';
import { StatementTotals } from '#dashboard/billing/statement-tables.tsx';
import type { CostTotals, Statement } from '#lambdas/accounts/analytics/responses.ts';
import { costTotals } from '../rendering/cost-totals.ts';
import { renderComponent, texts } from '../rendering/markup.ts';

const totalsOf = (fields: Partial<CostTotals>) =>
  renderComponent(StatementTotals, { statement: { totals: costTotals(fields) } as unknown as Statement });

describe('The totals of a statement', () => {
  it('are exact', () => {
    const totals = totalsOf({ cost_usd: '12.345678901', requests: 1200, input_tokens: 3, output_tokens: 4 });
    expect(texts(totals, 'dt')).toEqual(['Cost', 'Requests', 'Input tokens', 'Output tokens']);
    expect(texts(totals, 'dd')).toEqual(['$12.345678901', '1,200', '3', '4']);
    expect(texts(totals, 'p')).toEqual([]);
  });

  it('name what is not certain, with exact amounts', () => {
    const totals = totalsOf({
      cost_usd: '10',
      uncertain_cost_share: 0.25,
      assumed_requests: 2,
      assumed_cost_usd: '1.2300045',
      estimated_requests: 1,
      estimated_cost_usd: '0.0000012',
      unpriced_requests: 3,
    });
    expect(texts(totals, 'p')).toEqual([
      '25.0% of the cost is not certain.',
      '$1.2300045 is assumed (2 requests): the price or a part of the usage is not certain.',
      '$0.0000012 is estimated (1 request): the usage is estimated from the texts, since the provider did not report all of it.',
      '3 requests have no known price, and count as $0.',
    ]);
  });
});
