/** Tests everything that a response in OpenAI's format is billed for, not streamed and as a stream. */
import { describe, expect, it } from 'vitest';
import { noBilling } from '#lambdas/inference/completion/facts.ts';
import { createBillingReader } from '#lambdas/inference/providers/openai/billing.ts';
import { createOpenAiReader } from '#lambdas/inference/providers/openai/response.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { fc } from '#test/support/fast-check.ts';
import { splitAnywhere } from '#test/support/http/split-anywhere.ts';
import { event } from '#test/support/providers/openai/events.ts';
import { responseOrigin } from '#test/support/providers/openai/origin.ts';
import { providerCall } from '#test/support/providers/provider-call.ts';

/** Reads a completion or the chunks of a stream. */
function billingOf(responses: readonly object[], { provider = 'openai', model = 'm' } = {}) {
  const reader = createBillingReader(responseOrigin(provider), model);
  for (const response of responses) reader.read({ ...response });
  return reader.facts();
}

const tokens = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
const usage = { ...noUsage, freshInputTokens: 9, outputTokens: 3 };

describe('Service tier of responses in OpenAI format', () => {
  it.each([
    ['flex', 'flex'],
    ['ultrafast', 'ultrafast'],
    ['on_demand', 'on_demand'],
    ['', null],
    [null, null],
    [undefined, null],
    [{ tier: 'flex' }, null],
  ])('reads the tier %j of a completion as %j', (service_tier, serviceTier) => {
    expect(billingOf([{ service_tier, usage: tokens }])).toEqual({ ...noBilling, serviceTier, usage });
  });

  it.each([
    [['auto', 'priority'], 'priority'],
    [['priority', null], 'priority'],
    [['priority', ''], 'priority'],
    [['priority', undefined, 'default', null], 'default'],
    [[null, undefined], null],
  ])('reads the last tier that is not empty from the chunks %j', (tiers, serviceTier) => {
    const chunks = tiers.map((service_tier) => ({ service_tier, choices: [] }));
    expect(billingOf([...chunks, { choices: [], usage: tokens }])).toEqual({
      ...noBilling,
      serviceTier,
      usage,
    });
  });
});

describe('Searches of search models', () => {
  const searched = { ...usage, webSearches: 1 };

  it.each([
    ['openai', 'gpt-5-search-api', null, searched],
    ['openai', 'gpt-5-search-api', 'gpt-5-search-api-2025-10-14', searched],
    ['openai', 'my-alias', 'gpt-4o-mini-search-preview-2025-03-11', searched],
    ['azure', 'my-deployment', 'gpt-4o-search-preview', searched],
    ['openai', 'gpt-5', 'gpt-5-2025-08-07', usage],
    ['openrouter', 'openai/gpt-4o-search-preview', null, usage],
    ['own', 'gpt-5-search-api', 'gpt-5-search-api', usage],
  ])(
    'counts one search per request for %s, model %s and response model %s',
    (provider, model, responseModel, expected) => {
      const annotations = [{ type: 'url_citation', url_citation: { url: 'https://a.test' } }];
      const completion = { model: responseModel, choices: [{ message: { annotations } }], usage: tokens };
      const chunk = { model: responseModel, choices: [{ delta: { annotations } }] };

      for (const responses of [[completion], [chunk, chunk, { choices: [], usage: tokens }]]) {
        expect(billingOf(responses, { provider, model })).toEqual({ ...noBilling, usage: expected });
      }
    },
  );

  it('counts no search in a response without usage', () => {
    expect(billingOf([{ choices: [] }], { model: 'gpt-5-search-api' })).toEqual(noBilling);
  });
});

describe('Usage that cannot be read', () => {
  it.each([
    [
      { ...tokens, prompt_tokens: '9' },
      { ...usage, freshInputTokens: 0, missing: ['input_tokens'] },
    ],
    [
      { ...tokens, prompt_tokens_details: { cached_tokens: 0.5 } },
      { ...usage, missing: ['cached_input_tokens'] },
    ],
    [{}, null],
  ])('reads %j', (reported, expected) => {
    expect(billingOf([{ usage: reported }])).toEqual({ ...noBilling, usage: expected });
    expect(billingOf([{ choices: [] }, { choices: [], usage: reported }])).toEqual({
      ...noBilling,
      usage: expected,
    });
  });

  it('is replaced by a later usage of the stream that can be read', () => {
    expect(billingOf([{ usage: { prompt_tokens: '9' } }, { usage: tokens }])).toEqual({
      ...noBilling,
      usage,
    });
  });
});

it.each([
  [
    { input_tokens: 4, output_tokens: 2 },
    { freshInputTokens: 4, outputTokens: 2 },
  ],
  [{ input_tokens: 4 }, { freshInputTokens: 4, outputTokens: usage.outputTokens }],
  [{ search_units: 1 }, { freshInputTokens: usage.freshInputTokens, outputTokens: usage.outputTokens }],
])("bills Cohere's units %j instead of the tokens of the prompt", (billed_units, billed) => {
  const response = { usage: { ...tokens, billed_units } };
  expect(billingOf([response]).usage).toEqual({ ...noUsage, ...billed });
});

describe("Groq's built-in tools", () => {
  const groq = { provider: 'groq', model: 'openai/gpt-oss-120b' };
  const completionWith = (...executed_tools: object[]) => ({
    choices: [{ index: 0, message: { executed_tools } }],
    usage: tokens,
  });
  const chunkWith = (...executed_tools: object[]) => ({ choices: [{ index: 0, delta: { executed_tools } }] });

  it.each([
    [[{ index: 0, type: 'search' }], { usage: { ...usage, webSearches: 1 } }],
    [
      [
        { index: 0, type: 'search' },
        { index: 1, type: 'search' },
        { index: 2, type: 'visit' },
      ],
      { usage: { ...usage, webSearches: 2, pageVisits: 1 } },
    ],
    [[{ type: 'search' }, { type: 'open' }], { usage: { ...usage, webSearches: 1, pageVisits: 1 } }],
    [[{ index: 0, type: 'python' }], { usage, pricingGaps: ['code_execution'] }],
    [[{ index: 0, type: 'function', name: 'python' }], { usage, pricingGaps: ['code_execution'] }],
    [
      [
        { index: 0, type: 'browser_automation' },
        { index: 1, type: 'code_execution' },
        { index: 2, type: 'python' },
      ],
      { usage, pricingGaps: ['code_execution', 'browser_automation'] },
    ],
    [[{ index: 0, type: 'wolfram' }, { type: 5 }, {}], { usage }],
    [[null, 'search'], { usage }],
    [[{ index: { toString: null }, type: 'search' }], { usage: { ...usage, webSearches: 1 } }],
  ] as [object[], object][])('reads the charges for %j', (tools, expected) => {
    const inOneChunk = [chunkWith(...tools), { usage: tokens }];
    expect(billingOf([completionWith(...tools)], groq)).toEqual({ ...noBilling, ...expected });
    expect(billingOf(inOneChunk, groq)).toEqual({ ...noBilling, ...expected });
  });

  it('counts a tool once that the stream repeats when it has finished', () => {
    const search = { index: 0, type: 'search', arguments: '{"query":"Oslo"}' };
    const chunks = [
      chunkWith(search),
      chunkWith({ ...search, output: 'A city' }),
      chunkWith({ ...search, index: 1 }),
      { x_groq: { usage: tokens } },
    ];
    expect(billingOf(chunks, groq).usage).toEqual({ ...usage, webSearches: 2 });
  });

  it('counts the tools of each choice, by their positions when an index is not a number', () => {
    const choice = (index: unknown) => ({ index, message: { executed_tools: [{ type: 'search' }] } });
    const response = { choices: [choice({ toString: null }), choice('1')], usage: tokens };
    expect(billingOf([response], groq).usage).toEqual({ ...usage, webSearches: 2 });
  });

  it('ignores them in the responses of other providers', () => {
    expect(billingOf([completionWith({ type: 'search' })]).usage).toEqual(usage);
  });
});

describe("Groq's compound systems", () => {
  const groq = { provider: 'groq', model: 'groq/compound' };
  const call = (model: unknown, prompt_tokens: unknown, completion_tokens: unknown, details?: object) => ({
    model,
    usage: { prompt_tokens, completion_tokens, ...details },
  });
  const total = { prompt_tokens: 5296, completion_tokens: 387, total_tokens: 5683 };
  const models = [
    call('llama-3.3-70b-versatile', 138, 4),
    call('meta-llama/llama-4-scout-17b-16e-instruct', 495, 106),
    call('meta-llama/llama-4-scout-17b-16e-instruct', 2378, 55),
    call('llama-3.3-70b-versatile', 2285, 222),
  ];
  const parts = [
    { model: 'llama-3.3-70b-versatile', usage: { ...noUsage, freshInputTokens: 138, outputTokens: 4 } },
    {
      model: 'meta-llama/llama-4-scout-17b-16e-instruct',
      usage: { ...noUsage, freshInputTokens: 495, outputTokens: 106 },
    },
    {
      model: 'meta-llama/llama-4-scout-17b-16e-instruct',
      usage: { ...noUsage, freshInputTokens: 2378, outputTokens: 55 },
    },
    { model: 'llama-3.3-70b-versatile', usage: { ...noUsage, freshInputTokens: 2285, outputTokens: 222 } },
  ];
  const totalUsage = { ...noUsage, freshInputTokens: 5296, outputTokens: 387 };
  const search = { index: 0, type: 'search', arguments: '{}' };

  it('bills each call at its model, and the searches with the first of them', () => {
    const [first, ...others] = parts;
    const expected = {
      ...noBilling,
      usage: { ...totalUsage, webSearches: 1 },
      billedParts: [{ ...first, usage: { ...first?.usage, webSearches: 1 } }, ...others],
    };
    const completion = {
      choices: [{ index: 0, message: { executed_tools: [search] } }],
      usage: total,
      usage_breakdown: { models },
    };
    const chunks = [
      { choices: [{ index: 0, delta: { executed_tools: [search] } }] },
      { choices: [], x_groq: { usage: total, usage_breakdown: { models } } },
    ];
    expect(billingOf([completion], groq)).toEqual(expected);
    expect(billingOf(chunks, groq)).toEqual(expected);
  });

  it('bills only the calls when no tool was used', () => {
    expect(billingOf([{ usage: total, usage_breakdown: { models } }], groq)).toEqual({
      ...noBilling,
      usage: totalUsage,
      billedParts: parts,
    });
  });

  it.each([
    [
      'repeats the total in every entry, as recorded streams do',
      models.map(({ model }) => ({ model, usage: total })),
    ],
    ['is empty', []],
    ['has more calls than a system makes', Array.from({ length: 1_001 }, () => models[0])],
    ['is not a list', {}],
    ['has a call without a model', [...models.slice(1), call('', 138, 4)]],
    ['has a call without usage', [...models, { model: 'm' }]],
    ['has an unreadable count', [...models, call('m', 0, '0')]],
    [
      'contains other cached tokens than the total',
      [...models.slice(1), call('m', 138, 4, { prompt_tokens_details: { cached_tokens: 128 } })],
    ],
  ])('bills the total at the system when the breakdown %s', (_, breakdown) => {
    const response = {
      choices: [{ message: { executed_tools: [search] } }],
      usage: total,
      usage_breakdown: { models: breakdown },
    };
    expect(billingOf([response], groq)).toEqual({
      ...noBilling,
      usage: { ...totalUsage, webSearches: 1 },
    });
  });

  it('ignores a breakdown that is null', () => {
    expect(billingOf([{ usage: total, usage_breakdown: null }], groq)).toEqual({
      ...noBilling,
      usage: totalUsage,
    });
  });
});

function streamFacts(provider: string, chunks: readonly Buffer[]) {
  const call = providerCall({ stream: true });
  const reader = createOpenAiReader(responseOrigin(provider), call, call.request.loadWriter);
  for (const bytes of chunks) reader.push(bytes);
  reader.end();
  return reader.facts;
}

describe('Billing of a stream', () => {
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1767225600, model: 'm' };
  const delta = fc.oneof(
    fc.string().map((content) => ({ content })),
    fc
      .record({
        index: fc.nat(3),
        type: fc.constantFrom('search', 'visit', 'python'),
        arguments: fc.string(),
      })
      .map((tool) => ({ executed_tools: [tool] })),
  );
  const tier = fc.constantFrom(
    {},
    { service_tier: null },
    { service_tier: 'default' },
    { service_tier: 'flex' },
  );
  const reported = fc
    .record({ prompt_tokens: fc.nat(100), completion_tokens: fc.nat(100) })
    .map((counts) => ({
      usage: counts,
      usage_breakdown: { models: [{ model: 'n', usage: counts }] },
    }));
  const chunk = fc
    .tuple(delta, tier, fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, reported))
    .map(([value, ...fields]) =>
      Object.assign({ ...head, choices: [{ index: 0, delta: value, finish_reason: null }] }, ...fields),
    );

  it('is the same wherever the bytes are split, and as if every chunk were read alone', () => {
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 12 }), splitAnywhere, (chunks, split) => {
        const bytes = Buffer.from(chunks.map((value) => event(value)).join(''));
        expect(streamFacts('groq', split(bytes))).toMatchObject(billingOf(chunks, { provider: 'groq' }));
      }),
    );
  });

  it('reads later counts after it has rewritten earlier ones for the caller', () => {
    // xAI does not include reasoning in `completion_tokens`.
    const details = { completion_tokens_details: { reasoning_tokens: 5 } };
    const chunks = [
      { prompt_tokens: 4, completion_tokens: 1, total_tokens: 10, ...details },
      { prompt_tokens: 4 },
      { prompt_tokens: 4, completion_tokens: 2, total_tokens: 11, ...details },
    ].map((usage) => ({
      ...head,
      choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }],
      usage,
    }));

    const facts = streamFacts(
      'xai',
      chunks.map((value) => Buffer.from(event(value))),
    );

    expect(facts.usage).toEqual({ ...noUsage, freshInputTokens: 4, outputTokens: 7, reasoningTokens: 5 });
    expect(facts.usageWarnings).toEqual([]);
  });
});
