/** Rows for `google`: https://ai.google.dev/gemini-api/docs/pricing */
import type { BillingExample } from './example.ts';

interface Response {
  model: string;
  usage: object;
  candidate?: object;
}

function forms({ model, usage, candidate = {} }: Response) {
  const base = { responseId: 'r1', modelVersion: model };
  const parts = [{ text: 'Hello' }];
  const last = { content: { role: 'model', parts }, finishReason: 'STOP', index: 0, ...candidate };
  return {
    plain: { ...base, candidates: [last], usageMetadata: usage },
    stream: [
      {
        ...base,
        candidates: [{ content: { role: 'model', parts: [{ text: 'H' }] }, index: 0 }],
        usageMetadata: usage,
      },
      { ...base, candidates: [last], usageMetadata: usage },
    ],
  };
}

export const googleExamples: readonly BillingExample[] = [
  {
    scenario: 'thoughts as output, and pages that a tool retrieved as input',
    model: 'google/gemini-2.5-flash-lite',
    ...forms({
      model: 'gemini-2.5-flash-lite',
      usage: {
        promptTokenCount: 26,
        toolUsePromptTokenCount: 12_504,
        candidatesTokenCount: 63,
        thoughtsTokenCount: 40,
        totalTokenCount: 12_633,
      },
      candidate: { urlContextMetadata: { urlMetadata: [{ retrievedUrl: 'https://example.com' }] } },
    }),
    calculation: '12530 × 0.1 + 103 × 0.4',
    pricing: 'table',
  },
  {
    scenario: 'flex',
    model: 'google/gemini-2.5-flash-lite',
    ...forms({
      model: 'gemini-2.5-flash-lite',
      usage: {
        promptTokenCount: 1000,
        cachedContentTokenCount: 400,
        candidatesTokenCount: 100,
        totalTokenCount: 1100,
        serviceTier: 'flex',
      },
    }),
    calculation: '600 × 0.05 + 400 × 0.01 + 100 × 0.2',
    pricing: 'table',
    entry: { service_tier: 'flex' },
  },
  {
    scenario: 'priority, as Vertex AI names it',
    model: 'google/gemini-2.5-flash-lite',
    ...forms({
      model: 'gemini-2.5-flash-lite',
      usage: {
        promptTokenCount: 1000,
        candidatesTokenCount: 100,
        totalTokenCount: 1100,
        trafficType: 'ON_DEMAND_PRIORITY',
      },
    }),
    calculation: '1000 × 0.18 + 100 × 0.72',
    pricing: 'table',
    entry: { service_tier: 'ON_DEMAND_PRIORITY' },
  },
  {
    scenario: 'searches by distinct query',
    model: 'google/gemini-3.1-flash-lite',
    ...forms({
      model: 'gemini-3.1-flash-lite',
      usage: {
        promptTokenCount: 151,
        toolUsePromptTokenCount: 18_329,
        candidatesTokenCount: 100,
        totalTokenCount: 18_580,
      },
      candidate: {
        groundingMetadata: {
          webSearchQueries: ['', 'bitcoin price', 'ethereum price', 'bitcoin price'],
          groundingChunks: [{ web: { uri: 'https://example.com', title: 'T' } }],
        },
      },
    }),
    calculation: '151 × 0.25 + 100 × 1.5 + 2 × 14000',
    pricing: 'assumed',
    entry: { web_searches: 2 },
  },
  {
    scenario: 'a grounded prompt, however many searches it made',
    model: 'google/gemini-2.5-flash-lite',
    ...forms({
      model: 'gemini-2.5-flash-lite',
      usage: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
      candidate: {
        groundingMetadata: {
          webSearchQueries: ['one', 'two', 'three'],
          groundingChunks: [{ web: { uri: 'https://example.com', title: 'T' } }],
        },
      },
    }),
    calculation: '100 × 0.1 + 10 × 0.4 + 1 × 35000',
    pricing: 'assumed',
  },
  {
    scenario: 'audio input, fresh and cached',
    model: 'google/gemini-2.5-flash-lite',
    ...forms({
      model: 'gemini-2.5-flash-lite',
      usage: {
        promptTokenCount: 1000,
        cachedContentTokenCount: 300,
        candidatesTokenCount: 10,
        totalTokenCount: 1010,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 400 },
          { modality: 'AUDIO', tokenCount: 600 },
        ],
        cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 300 }],
      },
    }),
    calculation: '400 × 0.1 + 300 × 0.3 + 300 × 0.03 + 10 × 0.4',
    pricing: 'table',
    entry: { audio_input_tokens: 600, cached_audio_input_tokens: 300 },
  },
  {
    scenario: 'image output, with text and thoughts at the text price',
    model: 'google/gemini-3-pro-image',
    ...forms({
      model: 'gemini-3-pro-image',
      usage: {
        promptTokenCount: 8,
        candidatesTokenCount: 1218,
        thoughtsTokenCount: 162,
        totalTokenCount: 1388,
        candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1120 }],
      },
    }),
    calculation: '8 × 2 + 1120 × 120 + 260 × 12',
    pricing: 'table',
    entry: { image_output_tokens: 1120 },
  },
];
