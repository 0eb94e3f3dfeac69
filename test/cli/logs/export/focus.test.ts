import { describe, expect, it } from 'vitest';
import { createFocusFormat } from '#cli/logs/export/focus.ts';
import { addUsd } from '#lambdas/platform/money.ts';
import { type BilledPart, noUsage } from '#lambdas/pricing/usage.ts';
import { type LogEntry, outcomes, reachedProvider } from '#lambdas/request-log/entry.ts';
import { usageFields } from '#lambdas/request-log/entry-usage.ts';
import { readCsv } from '#test/support/csv-reader.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { builtInPrices } from '#test/support/prices.ts';

function focusFormat(organizationName = 'Example Ltd') {
  const organization = { id: 'org_AAAAAAAAAAAAAAAA', name: organizationName, created_at: '', log_shards: 1 };
  return createFocusFormat([organization], builtInPrices);
}

function rowsOf(...entries: LogEntry[]): Record<string, string | null>[] {
  const { header, lines } = focusFormat();
  const [names = [], ...records] = readCsv(header + entries.map(lines).join(''));
  return records.map((record) =>
    Object.fromEntries(names.map((name, index) => [name, record[index] ?? null])),
  );
}

const rowOf = (fields: Partial<LogEntry>) => rowsOf(logEntry(fields))[0];

const noTokens = usageFields([], null);

describe('The format focus', () => {
  it('writes the mandatory columns of FOCUS 1.2 in alphabetical order, then its own', () => {
    const { header, lines } = focusFormat();

    expect(header + lines(logEntry())).toBe(
      'BilledCost,BillingAccountId,BillingAccountName,BillingCurrency,BillingPeriodEnd,BillingPeriodStart,' +
        'ChargeCategory,ChargeClass,ChargeDescription,ChargePeriodEnd,ChargePeriodStart,ContractedCost,' +
        'EffectiveCost,InvoiceIssuerName,ListCost,PricingQuantity,PricingUnit,ProviderName,PublisherName,' +
        'ServiceCategory,ServiceName,' +
        'x_AssumedCost,x_AssumedRequests,x_EstimatedCost,x_EstimatedRequests,x_UnpricedRequests\r\n' +
        '0.00472,org_AAAAAAAAAAAAAAAA,Example Ltd,USD,2026-02-01T00:00:00Z,2026-01-01T00:00:00Z,' +
        'Usage,,Chat completion with gpt-4o-2024-08-06 from OpenAI,2026-01-31T09:30:06Z,2026-01-31T09:30:00Z,0.00472,' +
        '0.00472,OpenAI,0.00472,0.0015,1000000 Tokens,OpenAI,OpenAI,' +
        'AI and Machine Learning,OpenAI API,0.0,0,0.0,0,0\r\n',
    );
  });

  it.each([
    ['2026-01-31T23:59:59.999Z', 2, '2026-01-31T23:59:59Z', '2026-02-01T00:00:01Z', '2026-02-01T00:00:00Z'],
    ['2026-12-31T23:59:59.000Z', 0, '2026-12-31T23:59:59Z', '2027-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    [
      '2028-02-29T12:00:00.000Z',
      1000,
      '2028-02-29T12:00:00Z',
      '2028-02-29T12:00:01Z',
      '2028-03-01T00:00:00Z',
    ],
    [
      '2028-02-29T12:00:00.001Z',
      1000,
      '2028-02-29T12:00:00Z',
      '2028-02-29T12:00:02Z',
      '2028-03-01T00:00:00Z',
    ],
  ])(
    'rounds a charge at %s of %i ms outwards to seconds',
    (created_at, latency_ms, start, end, periodEnd) => {
      expect(rowOf({ created_at, latency_ms })).toMatchObject({
        ChargePeriodStart: start,
        ChargePeriodEnd: end,
        BillingPeriodStart: `${start.slice(0, 7)}-01T00:00:00Z`,
        BillingPeriodEnd: periodEnd,
      });
    },
  );

  it('writes a row for each billed part, with the model, the tokens and the cost of the part', () => {
    const model = 'claude-sonnet-4-5';
    const parts: BilledPart[] = [
      // $3 per million tokens, and $10 per thousand searches.
      { model: null, usage: { ...noUsage, freshInputTokens: 60_000, cachedInputTokens: 0, webSearches: 2 } },
      // $5 per million input tokens, $25 per million output tokens.
      { model: 'claude-opus-4-5', usage: { ...noUsage, freshInputTokens: 100_000, outputTokens: 1_000 } },
    ];
    const entry = logEntry({
      provider: 'anthropic',
      model,
      response_model: model,
      cost_usd: '0.725',
      ...usageFields(parts, model),
      service_tier: 'standard',
    });

    const rows = rowsOf(entry).map((row) => [row.ChargeDescription, row.PricingQuantity, row.BilledCost]);
    const uncertainty = rowsOf({ ...entry, pricing: 'assumed' }).map((row) => [
      ...[row.x_AssumedRequests, row.x_AssumedCost, row.x_EstimatedRequests, row.x_UnpricedRequests],
    ]);

    const superseded_by = '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01';
    const ofAttempt = rowsOf({ ...entry, pricing: 'assumed', superseded_by }).map((row) => [
      ...[row.BilledCost, row.x_AssumedRequests, row.x_AssumedCost],
    ]);

    expect(rows).toEqual([
      ['Chat completion with claude-sonnet-4-5 from Anthropic', '0.06', '0.2'],
      ['Chat completion with claude-opus-4-5 from Anthropic', '0.101', '0.525'],
    ]);
    expect(uncertainty).toEqual([
      ['1', '0.2', '0', '0'],
      ['0', '0.525', '0', '0'],
    ]);
    // The cost of an attempt is counted, but it is no request.
    expect(ofAttempt).toEqual([
      ['0.2', '0', '0.2'],
      ['0.525', '0', '0.525'],
    ]);
  });

  it('writes a quantity and costs of zero for a request without usage', () => {
    const failed = { ...noTokens, outcome: 'provider_error', pricing: null, response_model: null } as const;

    expect(rowOf({ ...failed, cost_usd: '0' })).toMatchObject({
      BilledCost: '0.0',
      ContractedCost: '0.0',
      EffectiveCost: '0.0',
      ListCost: '0.0',
      PricingQuantity: '0.0',
      PricingUnit: '1000000 Tokens',
      ChargeDescription: 'Chat completion with gpt-4o from OpenAI',
    });
  });

  it.each([
    [0, 1, '0.000001'],
    [1_000_000, 0, '1.0'],
    [9_007_199_000_000_000, 254_740_991, '9007199254.740991'],
  ])('writes %i input and %i output tokens as %s million', (freshInputTokens, outputTokens, quantity) => {
    const tokens = usageFields(
      [{ model: null, usage: { ...noUsage, freshInputTokens, outputTokens } }],
      null,
    );

    expect(rowOf(tokens)?.PricingQuantity).toBe(quantity);
  });

  it('leaves out rejected requests', () => {
    expect(rowsOf(logEntry({ ...noTokens, outcome: 'rejected', cost_usd: '0', provider: null }))).toEqual([]);
  });

  it.each([
    ['chat.completions', 'Chat completion with gpt-4o from OpenAI'],
    ['embeddings', 'Embedding with gpt-4o from OpenAI'],
    ['messages', 'Message with gpt-4o from OpenAI'],
    ['responses', 'Response with gpt-4o from OpenAI'],
  ] as const)('describes the operation %s as %s', (operation, description) => {
    expect(rowOf({ operation, response_model: '' })?.ChargeDescription).toBe(description);
  });

  it('names the tier and the speed unless they are standard', () => {
    const descriptions = [
      { service_tier: 'flex' },
      { service_tier: 'priority', speed: 'fast' },
      { service_tier: 'on_demand', speed: 'standard' },
    ].map((fields) => rowOf({ ...fields, response_model: '' })?.ChargeDescription);

    expect(descriptions).toEqual([
      'Chat completion with gpt-4o from OpenAI (flex)',
      'Chat completion with gpt-4o from OpenAI (priority, fast)',
      'Chat completion with gpt-4o from OpenAI',
    ]);
  });

  it.each([
    ['bedrock', 'AWS', 'Amazon Bedrock'],
    ['azure', 'Microsoft', 'Azure OpenAI'],
    ['google', 'Google', 'Gemini API'],
    ['groq', 'Groq', 'Groq'],
    ['constructor', 'constructor', 'constructor'],
  ])('names the provider %s as %s and its service as %s', (provider, name, service) => {
    expect(rowOf({ provider })).toMatchObject({
      InvoiceIssuerName: name,
      ProviderName: name,
      PublisherName: name,
      ServiceName: service,
    });
  });

  it('escapes formulas in the names of models and organizations', () => {
    const line = focusFormat('=1+1').lines(logEntry({ response_model: '=A1;=HYPERLINK("http://x")' }));

    expect(line).toContain(`,'=1+1,`);
    expect(line).toContain(`,"Chat completion with =A1;'=HYPERLINK(""http://x"") from OpenAI",`);
  });

  it('writes costs that add up to those of the entries, to the last digit', () => {
    const tokens = fc.nat({ max: 1_000_000 });
    const part = fc.record({
      model: fc.constantFrom(null, 'claude-opus-4-5', 'claude-haiku-4-5', 'unheard-of'),
      usage: fc
        .record({ freshInputTokens: tokens, cachedInputTokens: tokens, outputTokens: tokens })
        .map((counts) => ({ ...noUsage, ...counts })),
    });
    const cost = fc
      .tuple(fc.nat(), fc.bigInt({ min: 0n, max: 10n ** 12n - 1n }))
      .map(([dollars, rest]) => addUsd('0', `${dollars}.${String(rest).padStart(12, '0')}`));
    const entry = fc
      .record({ parts: fc.array(part, { maxLength: 4 }), cost, outcome: fc.constantFrom(...outcomes) })
      .map(({ parts, cost, outcome }) => {
        const model = 'claude-sonnet-4-5';
        const fields = { provider: 'anthropic', model, response_model: model, outcome, cost_usd: cost };
        return logEntry({ ...fields, ...usageFields(parts, model) });
      });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 10 }), (entries) => {
        const rows = rowsOf(...entries);

        const total = entries
          .filter(reachedProvider)
          .map(({ cost_usd }) => cost_usd)
          .reduce(addUsd, '0');
        for (const column of ['BilledCost', 'ContractedCost', 'EffectiveCost', 'ListCost']) {
          expect(rows.map((row) => row[column] ?? '').reduce(addUsd, '0')).toBe(total);
        }
      }),
    );
  });
});
