import { describe, expect, it } from 'vitest';
import {
  exceedsTolerance,
  matchModels,
  maxMagnitude,
  percentOf,
  type ReportItem,
  reconcile,
} from '#lambdas/costs/reconcile/compare.ts';
import { addGatewaySums, type GatewaySums, noGatewaySums } from '#lambdas/costs/reconcile/gateway-costs.ts';
import { addModelCosts, type CostsByModel } from '#lambdas/costs/reconcile/model-costs.ts';
import { addUsd, fromUnits, subtractUsd } from '#lambdas/platform/money.ts';
import { fc } from '#test/support/fast-check.ts';

interface GatewayCost {
  date: string;
  model: string | null;
  usd: string;
}

function costsOf(costs: readonly GatewayCost[]): CostsByModel<GatewaySums> {
  const byModel: CostsByModel<GatewaySums> = new Map();
  for (const { date, model, usd } of costs) {
    const sums = { ...noGatewaySums, requests: 1, gateway_usd: usd };
    addModelCosts(byModel, { date, model, sums }, addGatewaySums);
  }
  return byModel;
}

const sumOf = (amounts: readonly string[]) => amounts.reduce(addUsd, '0');

describe('reconcile', () => {
  it('compares each day by itself, with the names of the gateway, and costs of no model last', () => {
    const gateway = costsOf([
      { date: '2026-01-02', model: null, usd: '1' },
      { date: '2026-01-02', model: 'gpt-4o', usd: '2' },
      { date: '2026-01-01', model: 'O3', usd: '3' },
      { date: '2026-01-01', model: 'o3', usd: '4' },
      { date: '2026-01-01', model: 'gpt-4o', usd: '5' },
    ]);
    const items: ReportItem[] = [
      { date: '2026-01-01', model: 'o3', name: 'o3, input', usd: '7' },
      { date: '2026-01-01', model: 'gpt-4o-2024-05-13', name: 'gpt-4o-2024-05-13, input', usd: '5' },
      { date: '2026-01-02', model: 'gpt-4o-2024-08-06', name: 'gpt-4o-2024-08-06, input', usd: '2' },
      { date: '2026-01-02', model: null, name: 'storage', usd: '1.5' },
    ];

    const { rows, totals, isWithinTolerance } = reconcile(gateway, items, '4');

    expect(
      rows.map(({ date, model, difference_usd, difference_percent, differs, requests }) => [
        ...[date, model, difference_usd, difference_percent, differs, requests],
      ]),
    ).toEqual([
      ['2026-01-01', 'gpt-4o', '0', '0', false, 1],
      ['2026-01-01', 'O3', '0', '0', false, 2],
      ['2026-01-02', 'gpt-4o', '0', '0', false, 1],
      ['2026-01-02', null, '-0.5', '-33.33', true, 1],
    ]);
    expect({ totals, isWithinTolerance }).toMatchObject({
      totals: {
        gateway_usd: '15',
        provider_usd: '15.5',
        difference_usd: '-0.5',
        difference_percent: '-3.23',
      },
      isWithinTolerance: true,
    });
  });

  it('relates the difference of a model to the larger cost, and that of the totals to the cost of the provider', () => {
    const [date, model, name] = ['2026-01-01', 'o3', 'o3, input'];
    const gateway = costsOf([{ date, model, usd: '100' }]);

    const reconciled = ['95', '94.999999'].map((usd) =>
      reconcile(gateway, [{ date, model, name, usd }], '5'),
    );

    expect(reconciled.map(({ rows }) => rows[0]?.differs)).toEqual([false, true]);
    expect(reconciled.map(({ isWithinTolerance }) => isWithinTolerance)).toEqual([false, false]);
  });

  const date = fc.constantFrom('2026-01-01', '2026-01-02');
  const name = fc.constantFrom(
    'gpt-4o',
    'GPT-4o',
    'gpt-4o-2024-05-13',
    'gpt-4o-20240806',
    'o3',
    'o3-2025-04-16',
  );
  const model = fc.option(name);
  const usd = fc.bigInt(-(10n ** 14n), 10n ** 14n).map(fromUnits);

  it('has every cost of both sides in exactly one row', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ date, model, usd })),
        fc.array(fc.record({ date, model, name: fc.constantFrom('a', 'b'), usd })),
        (gatewayCosts, items) => {
          const { rows, totals, itemsWithoutModel } = reconcile(costsOf(gatewayCosts), items, '1');

          const [ours, theirs] = [gatewayCosts, items].map((costs) => sumOf(costs.map((cost) => cost.usd)));
          expect(totals).toMatchObject({
            gateway_usd: ours,
            provider_usd: theirs,
            requests: gatewayCosts.length,
          });
          expect(totals.difference_usd).toBe(subtractUsd(ours ?? '', theirs ?? ''));
          expect(sumOf(rows.map((row) => row.gateway_usd))).toBe(ours);
          expect(sumOf(rows.map((row) => row.provider_usd))).toBe(theirs);
          expect(new Set(rows.map((row) => `${row.date} ${row.model?.toLowerCase()}`)).size).toBe(
            rows.length,
          );
          expect(sumOf(itemsWithoutModel.map(({ provider_usd }) => provider_usd))).toBe(
            sumOf(rows.filter((row) => row.model === null).map((row) => row.provider_usd)),
          );
        },
      ),
    );
  });
});

it.each<[name: string, gateway: string[], provider: string[], matches: [string, string][]]>([
  [
    'equal names',
    ['gpt-4o', 'o3'],
    ['o3', 'gpt-4o'],
    [
      ['gpt-4o', 'gpt-4o'],
      ['o3', 'o3'],
    ],
  ],
  ['an alias and its snapshot', ['gpt-4o'], ['gpt-4o-2024-08-06'], [['gpt-4o-2024-08-06', 'gpt-4o']]],
  [
    'a snapshot and its alias',
    ['claude-opus-4-5-20251101'],
    ['claude-opus-4-5'],
    [['claude-opus-4-5', 'claude-opus-4-5-20251101']],
  ],
  ['no snapshots of different dates', ['gpt-4o-2024-05-13'], ['gpt-4o-2024-08-06'], []],
  [
    'no alias that the other side has, too',
    ['gpt-4o', 'gpt-4o-2024-08-06'],
    ['gpt-4o-2024-08-06'],
    [['gpt-4o-2024-08-06', 'gpt-4o-2024-08-06']],
  ],
  ['no alias of two snapshots', ['gpt-4o'], ['gpt-4o-2024-05-13', 'gpt-4o-2024-08-06'], []],
  [
    'no snapshot of an alias and another snapshot',
    ['gpt-4o', 'gpt-4o-2024-05-13'],
    ['gpt-4o-2024-08-06'],
    [],
  ],
  ['no names that only begin equally', ['gpt-4o'], ['gpt-4o-mini', 'gpt-4o-2024'], []],
])('matches %s', (_, gateway, provider, matches) => {
  expect([...matchModels(gateway, provider)].sort()).toEqual(matches);
});

it.each([
  ['0.01', '1', '1', false],
  ['0.010000000001', '1', '1', true],
  ['-0.010000000001', '1', '1', true],
  ['0.01', '-1', '1', false],
  ['0.005', '1', '0.5', false],
  ['0', '0', '0', false],
  ['0.000000000001', '0', '100', true],
  ['0.000000000001', '99999999', '0', true],
])('a difference of $%s from $%s is more than %s %%: %s', (difference, amount, tolerance, expected) => {
  expect(exceedsTolerance(difference, amount, tolerance)).toBe(expected);
});

it.each([
  ['1', '3', '33.33'],
  ['-2', '3', '-66.67'],
  ['-1', '-4', '-25'],
  ['-0.000001', '100', '0'],
  ['3', '2', '150'],
  ['1', '0', null],
])('$%s of $%s is %s %%', (difference, amount, percent) => {
  expect(percentOf(difference, amount)).toBe(percent);
});

it('the larger of two amounts is the one with the larger magnitude', () => {
  expect([maxMagnitude('-3', '2'), maxMagnitude('-1', '2')]).toEqual(['-3', '2']);
});
