import { describe, expect, it } from 'vitest';
import { certaintyOf, costTitle, EntryCost } from '#dashboard/components/request/entry-cost.tsx';
import { isOperation, operationTitles } from '#dashboard/components/request/operation.ts';
import { isOutcome, outcomeLooks } from '#dashboard/components/request/outcome.ts';
import { StatusCode } from '#dashboard/components/request/status-code.tsx';
import { only, renderComponent, textOf } from '#test/dashboard/rendering/markup.ts';
import { logEntry } from '#test/support/log-entries.ts';

type PricedRequest = Parameters<typeof EntryCost>[0]['entry'];

const cost_usd = '0.00472';

describe('The cost of a request', () => {
  it.each([
    ['by a price of the table', {}, 'certain', '$0.00472'],
    ['that the provider stated', { pricing: 'provider', usage_source: 'missing' }, 'certain', '$0.00472'],
    ['with an assumed price', { pricing: 'assumed' }, 'assumed', '$0.00472, assumed'],
    [
      'with missing usage',
      { pricing: 'assumed', usage_source: 'incomplete' },
      'assumed',
      '$0.00472, assumed',
    ],
    ['with estimated usage', { usage_source: 'estimated' }, 'estimated', '$0.00472, estimated'],
    ['without a known price', { pricing: 'unknown', cost_usd: '0' }, 'unpriced', 'No known price'],
    [
      'of which the provider reported nothing',
      { pricing: null, usage_source: 'missing', cost_usd: '0', outcome: 'provider_error' },
      'unreported',
      'No cost reported',
    ],
    [
      'that was rejected before a provider was called',
      { pricing: null, usage_source: 'missing', cost_usd: '0', outcome: 'rejected' },
      'certain',
      '$0.00',
    ],
  ] as const)('%s has its certainty', (_case, fields, certainty, title) => {
    const entry = logEntry({ cost_usd, ...fields });

    expect(certaintyOf(entry)).toBe(certainty);
    expect(costTitle(entry)).toBe(title);
  });
});

describe('The shown cost of a request', () => {
  const shown = (fields: Partial<PricedRequest>, unreported?: string) =>
    textOf(renderComponent(EntryCost, { entry: logEntry(fields), unreported, children: '$0.01' }));

  it.each([
    [{}, '$0.01'],
    [{ pricing: 'assumed' }, 'assumed $0.01'],
    [{ usage_source: 'estimated' }, 'estimated $0.01'],
    [{ pricing: 'unknown' }, 'Unpriced'],
    [{ pricing: null, outcome: 'timeout' }, 'No cost reported'],
    [{ pricing: null, outcome: 'rejected' }, '$0.01'],
  ] as const)('of %j is read as "%s"', (fields, text) => {
    expect(shown(fields)).toBe(text);
  });

  it('has other words in place of a cost that was not reported, where there is room', () => {
    expect(shown({ pricing: null, outcome: 'timeout' }, 'The provider reported none')).toBe(
      'The provider reported none',
    );
  });
});

describe('The status of a request', () => {
  const status = (fields: Pick<PricedRequest, 'outcome'>) =>
    only(renderComponent(StatusCode, { entry: { status: 200, ...fields } }), 'span[class]');

  it('is followed by the outcome, unless it was completed', () => {
    const text = (outcome: PricedRequest['outcome']) =>
      textOf(renderComponent(StatusCode, { entry: { status: 200, outcome } }));
    expect([text('completed'), text('interrupted')]).toEqual(['200', '200, Interrupted']);
  });

  it('has the colour of the outcome', () => {
    expect(status({ outcome: 'completed' }).attributes.class).toContain('text-success');
    const outcomes = Object.entries(outcomeLooks).map(([outcome, { tone }]) => `${outcome}: ${tone}`);
    expect(outcomes).toEqual([
      'completed: success',
      'client_closed: neutral',
      'provider_error: danger',
      'timeout: danger',
      'rejected: warning',
      'interrupted: danger',
    ]);
  });
});

describe('The names of outcomes and operations', () => {
  it('exclude properties of all objects', () => {
    expect([...Object.keys(outcomeLooks), 'toString', 1, null].map(isOutcome)).toEqual([
      ...Object.keys(outcomeLooks).map(() => true),
      ...[false, false, false],
    ]);
    expect([...Object.keys(operationTitles), 'toString', 1, undefined].map(isOperation)).toEqual([
      ...[true, true, true, true],
      ...[false, false, false],
    ]);
  });
});
