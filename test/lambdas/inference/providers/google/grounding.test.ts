import { describe, expect, it } from 'vitest';
import { noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { fc } from '#test/support/fast-check.ts';
import { splitAnywhere } from '#test/support/http/split-anywhere.ts';
import {
  billingFor,
  billingIn,
  completionFor,
  googleEvent,
  streamFor,
} from '#test/support/providers/google/call.ts';

type Fields = Record<string, unknown>;

const tokens = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
const web = { web: { uri: 'https://vertexaisearch.cloud.google.com/x', title: 'example.com' } };
const maps = { maps: { uri: 'https://maps.google.com/?cid=1', title: 'Café', placeId: 'places/1' } };
const image = { image: { sourceUri: 'https://example.com', imageUri: 'https://example.com/a.png' } };
const document = { retrievedContext: { uri: 'gs://a', title: 'Handbook', text: 'Safety at sea' } };
const fetched = { urlMetadata: [{ retrievedUrl: 'https://example.com' }] };
const grounded = (groundingMetadata: Fields, fields: Fields = {}) => ({ groundingMetadata, ...fields });

describe('Google searches', () => {
  it.each<[string, Fields, number | undefined]>([
    [
      'counts distinct queries that are not empty',
      grounded({
        webSearchQueries: ['', 'funding 2026', '', 'Oslo or Bergen', 'funding 2026'],
      }),
      2,
    ],
    ['counts image searches', grounded({ imageSearchQueries: ['fjord'], webSearchQueries: ['Oslo'] }), 2],
    ['counts 1 for web pages without a query', grounded({ groundingChunks: [web, web] }), 1],
    [
      'counts 1 for images with an empty query',
      grounded({ groundingChunks: [image], imageSearchQueries: [''] }),
      1,
    ],
    ['counts no search for empty metadata', grounded({}), undefined],
    ['counts no search for empty queries', grounded({ webSearchQueries: [''] }), undefined],
    ['counts no search for documents', grounded({ groundingChunks: [document] }), undefined],
    [
      'counts no search for web pages of the URL context tool',
      grounded({ groundingChunks: [web] }, { urlContextMetadata: fetched }),
      undefined,
    ],
    [
      'counts queries beside the URL context tool',
      grounded({ groundingChunks: [web], webSearchQueries: ['a', 'b'] }, { urlContextMetadata: fetched }),
      2,
    ],
    ['counts no search for places', grounded({ groundingChunks: [maps] }), undefined],
    [
      'counts no search for the queries of places',
      grounded({ groundingChunks: [maps], webSearchQueries: ['restaurants near me'] }),
      undefined,
    ],
    [
      'counts the queries of web pages and places',
      grounded({ groundingChunks: [maps, web], webSearchQueries: ['restaurants', 'reviews'] }),
      2,
    ],
  ])('%s', async (_case, candidate, webSearches) => {
    const { usage } = await billingFor(tokens, candidate);

    expect(usage?.webSearches).toBe(webSearches);
  });

  it.each([['not an array'], [[5]], [{ query: 'a' }]])(
    'names searches as missing when the queries are %j',
    async (webSearchQueries) => {
      const { usage } = await billingFor(tokens, grounded({ webSearchQueries }));

      expect(usage).toEqual({
        ...noUsage,
        freshInputTokens: 10,
        outputTokens: 5,
        missing: ['web_searches'],
      });
    },
  );

  it('counts a query of several candidates once', async () => {
    const body = {
      candidates: [['a', 'b'], ['b', 'c'], null].map((webSearchQueries) => ({
        finishReason: 'STOP',
        ...grounded({ webSearchQueries }),
      })),
      usageMetadata: tokens,
    };

    expect((await completionFor(body)).facts.usage).toMatchObject({ webSearches: 3 });
  });

  it.each<[string, unknown[], readonly string[]]>([
    ['as a pricing gap', [web, maps], ['maps_grounding']],
    ['without a gap when there are no places', [web], []],
  ])('reports Google Maps %s', async (_case, groundingChunks, gaps) => {
    expect((await billingFor(tokens, grounded({ groundingChunks }))).pricingGaps).toEqual(gaps);
  });
});

describe('Google tool input', () => {
  const search = { promptTokenCount: 151, candidatesTokenCount: 1089, thoughtsTokenCount: 1120 };
  const toolUse = {
    ...search,
    toolUsePromptTokenCount: 18_329,
    totalTokenCount: 20_689,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 151 }],
    toolUsePromptTokensDetails: [
      { modality: 'TEXT', tokenCount: 18_300 },
      { modality: 'AUDIO', tokenCount: 20 },
      { modality: 'IMAGE', tokenCount: 9 },
    ],
  };
  const query = { webSearchQueries: ['a'] };
  const output = { outputTokens: 2209, reasoningTokens: 1120 };
  const free = { ...noUsage, ...output, freshInputTokens: 151 };
  const billed = {
    ...noUsage,
    ...output,
    freshInputTokens: 18_480,
    audioInputTokens: 20,
    imageInputTokens: 9,
  };

  it.each<[string, Fields, TokenUsage]>([
    ['omits the results of a web search', grounded(query), { ...free, webSearches: 1 }],
    ['omits the results of Google Maps', grounded({ groundingChunks: [maps] }), free],
    [
      'omits the results of a search when the URL context tool fetched nothing',
      grounded(query, { urlContextMetadata: { urlMetadata: [] } }),
      { ...free, webSearches: 1 },
    ],
    ['counts the results of a tool that the response does not show', {}, billed],
    ['counts web pages of the URL context tool', { urlContextMetadata: fetched }, billed],
    ['counts documents', grounded({ groundingChunks: [document] }), billed],
    [
      'counts all input of a search and a fetched page, since their shares are unknown',
      grounded(query, { urlContextMetadata: fetched }),
      { ...billed, webSearches: 1 },
    ],
    [
      'counts all input of a search and executed code',
      grounded(query, { content: { parts: [{ executableCode: { language: 'PYTHON', code: '1' } }] } }),
      { ...billed, webSearches: 1 },
    ],
    ['counts all input of places and documents', grounded({ groundingChunks: [maps, document] }), billed],
  ])('%s', async (_case, candidate, usage) => {
    expect((await billingFor(toolUse, candidate)).usage).toEqual(usage);
  });

  it.each<[string, Fields, Fields, Partial<TokenUsage>]>([
    [
      'a fetched page',
      {
        promptTokenCount: 26,
        toolUsePromptTokenCount: 12_504,
        candidatesTokenCount: 103,
        totalTokenCount: 12_633,
      },
      { urlContextMetadata: fetched },
      { freshInputTokens: 12_530, outputTokens: 103 },
    ],
    [
      'executed code',
      {
        promptTokenCount: 74,
        candidatesTokenCount: 103,
        thoughtsTokenCount: 293,
        toolUsePromptTokenCount: 155,
        totalTokenCount: 625,
      },
      { content: { parts: [{ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '42' } }] } },
      { freshInputTokens: 229, outputTokens: 396, reasoningTokens: 293 },
    ],
  ])('counts the recorded input of %s', async (_case, metadata, candidate, usage) => {
    expect((await billingFor(metadata, candidate)).usage).toEqual({ ...noUsage, ...usage });
  });

  it('recognizes by the total that candidates include thoughts, also beside free tool input', async () => {
    const metadata = { ...toolUse, candidatesTokenCount: 2209 };

    expect((await billingFor(metadata, grounded(query))).usage).toEqual({ ...free, webSearches: 1 });
  });
});

describe('Google billing', () => {
  const element = fc.oneof(
    {
      arbitrary: fc.record({
        webSearchQueries: fc.array(fc.constantFrom('', 'a', 'b', 'c'), { maxLength: 3 }),
      }),
      weight: 3,
    },
    fc.record({ imageSearchQueries: fc.array(fc.constantFrom('a', 'd'), { maxLength: 2 }) }),
    fc.record({ groundingChunks: fc.subarray([web, maps, image, document]) }),
  );
  const candidateElement = fc.oneof(
    { arbitrary: element.map((groundingMetadata) => ({ groundingMetadata })), weight: 6 },
    fc.constant({ urlContextMetadata: fetched }),
    fc
      .constantFrom({ executableCode: { code: '1' } }, { codeExecutionResult: { output: '1' } })
      .map((part) => ({
        content: { parts: [part] },
      })),
  );
  const finalUsage = fc.record(
    {
      promptTokenCount: fc.nat(1000),
      toolUsePromptTokenCount: fc.nat(1000),
      candidatesTokenCount: fc.nat(1000),
      cachedContentTokenCount: fc.nat(1000),
      promptTokensDetails: fc.constant([{ modality: 'IMAGE', tokenCount: 5 }]),
      serviceTier: fc.constantFrom('flex', 'standard', 'unspecified'),
      trafficType: fc.constantFrom('ON_DEMAND', 'TRAFFIC_TYPE_UNSPECIFIED'),
    },
    { requiredKeys: [] },
  );

  it('has the same facts wherever a stream is split and in whichever order its metadata arrives', async () => {
    const example = fc.record({
      elements: fc.array(candidateElement, { maxLength: 6 }),
      repeated: fc.array(fc.nat(5), { maxLength: 3 }),
      usageMetadata: finalUsage,
      usageFirst: fc.boolean(),
      split: splitAnywhere,
    });
    await fc.assert(
      fc.asyncProperty(example, async ({ elements, repeated, usageMetadata, usageFirst, split }) => {
        const finish = { finishReason: 'STOP', index: 0 };
        const body = {
          // The elements as candidates of one response: facts are read from all of them.
          candidates: [finish, ...elements.map((it) => ({ ...it, finishReason: 'STOP' }))],
          usageMetadata,
        };
        const chunks = [...elements, ...repeated.flatMap((at) => elements[at] ?? [])].map((it) => ({
          candidates: [{ ...it, index: 0 }],
        }));
        const usage = { usageMetadata };
        const events = [...(usageFirst ? [usage, ...chunks] : [...chunks, usage]), { candidates: [finish] }];

        const streamed = await streamFor(split(Buffer.concat(events.map(googleEvent))));

        expect(billingIn(streamed.facts)).toEqual(billingIn((await completionFor(body)).facts));
      }),
    );
  });
});
