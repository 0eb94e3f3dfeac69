import { describe, expect, it } from 'vitest';
import { priceTableOf, rateTitle, rateUnit, tokenPrice } from '#dashboard/components/values/rates.ts';
import { filterModels, providersOf } from '#dashboard/models/models-view.tsx';
import { originsOf } from '#dashboard/models/origin.ts';
import { parseModelsSearch } from '#dashboard/models/search.ts';
import type { ModelPrice, ModelSummary } from '#lambdas/accounts/analytics/responses.ts';

const model = (id: string, isSetUp = true): ModelSummary => ({
  id,
  provider: id.split('/')[0] ?? '',
  operations: ['chat.completions'],
  set_up: isSetUp,
  prices: [],
  versions: [],
});

const models = [
  model('anthropic/claude-opus-5', false),
  model('openai/gpt-5'),
  model('openai/gpt-5-mini'),
  model('openrouter/openai/gpt-5'),
];

const idsOf = (search: Record<string, unknown>) =>
  filterModels(models, parseModelsSearch(search)).map(({ id }) => id);

describe('The list of models', () => {
  it.each([
    ['providers that are set up', {}, ['openai/gpt-5', 'openai/gpt-5-mini', 'openrouter/openai/gpt-5']],
    ['all providers', { providers: 'all', search: 'opus' }, ['anthropic/claude-opus-5']],
    ['one provider', { provider: 'openrouter' }, ['openrouter/openai/gpt-5']],
    [
      'a link to a model whose provider is not set up',
      { model: models[0]?.id, search: 'opus' },
      [models[0]?.id],
    ],
    ['each word in a name', { search: 'Mini open' }, ['openai/gpt-5-mini']],
    ['everything, without valid filters', { search: '', provider: 5, providers: 'none' }, idsOf({})],
  ])('is filtered by %s', (_case, search, ids) => {
    expect(idsOf(search)).toEqual(ids);
  });

  it('offers the providers that it shows, and the chosen one', () => {
    expect(providersOf(models, {})).toEqual(['openai', 'openrouter']);
    expect(providersOf(models, { provider: 'anthropic' })).toEqual(['anthropic', 'openai', 'openrouter']);
  });
});

const input = { type: 'uncached_text_input_tokens', per: 1_000_000, assumed: false };
const search = { type: 'web_searches', usd: '10', per: 1000, assumed: true };

const standard: ModelPrice = {
  tier: null,
  source: 'table',
  version: 'genai-prices 0.1.8',
  since: null,
  assumed: false,
  rates: [search, { ...input, usd: '1.25' }],
  above: [{ input_tokens: 200_000, rates: [{ ...input, usd: '2.5' }] }],
};
const flex: ModelPrice = {
  ...standard,
  tier: 'flex',
  assumed: true,
  above: [],
  rates: [
    { ...input, usd: '0.625' },
    { ...input, type: 'audio_output_tokens', usd: '20' },
  ],
};
const custom: ModelPrice = {
  ...standard,
  tier: 'batch',
  source: 'organization',
  version: null,
  since: '2026-12-01T00:00:00.000Z',
};

describe('The prices of a model', () => {
  it('have a row for each type and a column for each tier and length', () => {
    expect(priceTableOf([standard, flex])).toEqual({
      columns: [
        { tier: null, aboveTokens: null },
        { tier: null, aboveTokens: 200_000 },
        { tier: 'flex', aboveTokens: null },
      ],
      rows: [
        { type: input.type, per: 1_000_000, assumed: false, prices: ['1.25', '2.5', '0.625'] },
        { type: 'audio_output_tokens', per: 1_000_000, assumed: false, prices: [null, null, '20'] },
        { type: 'web_searches', per: 1000, assumed: true, prices: ['10', null, null] },
      ],
    });
  });

  it('are exact, and missing where the type has none of its own', () => {
    expect(tokenPrice(standard, input.type)).toBe('$1.25');
    expect(tokenPrice({ ...standard, rates: [{ ...input, usd: '0.0375' }] }, input.type)).toBe('$0.0375');
    expect(tokenPrice(standard, 'text_output_tokens')).toBeNull();
  });

  it.each([
    ['uncached_text_input_tokens', 1_000_000, 'Input', ''],
    ['web_searches', 1000, 'Web searches', 'per 1,000'],
    ['audio_input_seconds', 60, 'Audio input', 'per minute'],
    ['cached_text_input_tokens', 1_000_000, 'Cached input', ''],
    ['cache_write_5m_input_tokens', 1_000_000, 'Cache write', ''],
    ['cache_write_1h_input_tokens', 1_000_000, 'Cache write, longer lifetime', ''],
    ['grounded_requests', 1000, 'Requests with web search', 'per 1,000'],
    ['video_output_tokens', 1_000_000, 'video output tokens', ''],
  ])('of %s are named', (type, per, title, unit) => {
    expect([rateTitle(type), rateUnit({ type, per })]).toEqual([title, unit]);
  });

  it('state where they are from once for all tiers with the same origin', () => {
    expect(originsOf([standard, { ...standard, tier: 'priority' }, flex, custom], 'en-GB')).toEqual([
      { tiers: [null, 'priority'], text: 'Price table genai-prices 0.1.8', assumed: false },
      { tiers: ['flex'], text: 'Price table genai-prices 0.1.8', assumed: true },
      {
        tiers: ['batch'],
        text: "The operator's price for this organization, since 1 Dec 2026",
        assumed: false,
      },
    ]);
  });
});
