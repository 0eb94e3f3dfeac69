import { describe, expect, it } from 'vitest';
import {
  requireNoDifferences,
  type VerifiedOrganization,
  verificationJson,
  verificationText,
} from '#cli/rollups/verify-result.ts';
import type { Difference } from '#lambdas/costs/repair/difference.ts';
import { noTotals } from '#lambdas/costs/rollups/totals.ts';

const organizationId = 'org_1';
const startMs = Date.parse('2026-03-14');

const difference: Difference = {
  dimension: 'totals',
  period: 'hour',
  writeShard: 0,
  startMs,
  value: null,
  provider: 'openai',
  operation: 'chat.completions',
  serviceTier: null,
  model: 'gpt-4o',
  comparedWith: 'entries',
  actual: { ...noTotals, requests: 1 },
  expected: noTotals,
};

function organization(differences: Difference[] = []): VerifiedOrganization {
  return {
    verification: { organizationId, window: null, entries: 0, rows: 0, unsettledRows: 0, differences },
    counterDifferences: [
      {
        scope: { organizationId, keyId: null },
        period: 'day',
        startMs,
        spentUsd: '1.5',
        expectedUsd: '0.000000000001',
      },
      {
        scope: { organizationId, keyId: 'key_1' },
        period: 'month',
        startMs: Date.parse('2026-03-01'),
        spentUsd: '-2',
        expectedUsd: '0',
      },
    ],
  };
}

describe('The result of a verification with differences of budgets', () => {
  it('has a line for each difference', () => {
    const [, table = ''] = verificationText([organization()], 300).split('\n\n');

    expect(table.split('\n').map((line) => line.split(/ {3,}/))).toEqual([
      ['ORGANIZATION', 'BUDGETS OF', 'PERIOD', 'START', 'DIFFERENCE'],
      [
        ...['org_1', 'organization', 'day', '2026-03-14'],
        'spent_usd 1.5, expected 0.000000000001 from the rollups',
      ],
      ['org_1', 'key_1', 'month', '2026-03', 'spent_usd -2, expected 0 from the rollups'],
    ]);
  });

  it('names the operation, if it is not chat completions, and the service tier', () => {
    const tiers = [null, 'flex'];
    const differences = (['chat.completions', 'embeddings'] as const).flatMap((operation) =>
      tiers.map((serviceTier) => ({ ...difference, operation, serviceTier })),
    );
    const [, table = ''] = verificationText([organization(differences)], 300).split('\n\n');

    expect(table.match(/openai\/gpt-4o( \(.*?\))?/g)).toEqual([
      'openai/gpt-4o',
      'openai/gpt-4o (flex)',
      'openai/gpt-4o (embeddings)',
      'openai/gpt-4o (embeddings, flex)',
    ]);
    expect(
      verificationJson(organization(differences)).differences.map((each) => [
        each.operation,
        each.service_tier,
      ]),
    ).toEqual([
      ['chat.completions', null],
      ['chat.completions', 'flex'],
      ['embeddings', null],
      ['embeddings', 'flex'],
    ]);
  });

  it('has exact amounts in JSON', () => {
    expect(JSON.stringify(verificationJson(organization()).counter_differences)).toBe(
      '[{"api_key_id":null,"period":"day","start":"2026-03-14","spent_usd":1.5,"expected_usd":0.000000000001},' +
        '{"api_key_id":"key_1","period":"month","start":"2026-03","spent_usd":-2,"expected_usd":0}]',
    );
  });

  it('is an error, with or without differences of rows', () => {
    expect(() => requireNoDifferences([organization()])).toThrow(
      /^2 sums of budgets differ from the rollups: correct them with "rollups rebuild"$/,
    );
    expect(() => requireNoDifferences([organization([difference])])).toThrow(
      /^1 rows differ from the expected totals, and 2 sums of budgets differ from the rollups: correct them/,
    );
    expect(() => requireNoDifferences([{ ...organization(), counterDifferences: [] }])).not.toThrow();
  });
});
