/** A tool loop of a caller of the Responses API with Gemini. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTranslatedGateways,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import {
  loopCompletion,
  loopItems,
  loopProblems,
  loopTools,
  runToolLoop,
} from '#test/support/responses/tool-loop.ts';
import {
  geminiParts,
  geminiResults,
  geminiSignatures,
  imageData,
  loopCounts,
} from '#test/support/translation/tool-loop.ts';

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways({ path: '/ai/v1/responses' });
});
afterAll(() => gateways.stop());

const model = 'gemini-3.5-flash';
const results = geminiResults(loopCompletion, model);

const sentFirst = {
  systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'You have a shell.' }] },
  contents: [{ role: 'user', parts: [{ text: 'Where does it rain?' }] }],
  tools: [
    {
      functionDeclarations: loopTools.map(({ schema, ...tool }) => ({
        ...tool,
        parametersJsonSchema: schema,
      })),
    },
  ],
  generationConfig: { thinkingConfig: { thinkingLevel: 'low', includeThoughts: true } },
};
const output = (id: string, name: string, text: string, fields: object = {}) => ({
  functionResponse: { id, name, response: { output: text }, ...fields },
});
/** The signatures are where they were, and the image is a part of its result. */
const sentSecond = {
  ...sentFirst,
  contents: [
    ...sentFirst.contents,
    { role: 'model', parts: geminiParts(loopCompletion) },
    {
      role: 'user',
      parts: [
        output('call_1', 'weather', 'Rain', {
          parts: [{ inlineData: { mimeType: 'image/png', data: imageData } }],
        }),
        output('call_2', 'write', 'Output 1'),
        output('call_3', 'agents__ask', 'Output 2'),
        { text: 'Go on.' },
      ],
    },
  ],
};

const entry = {
  operation: 'responses',
  provider: 'google',
  model,
  outcome: 'completed',
  ...loopCounts,
  // 200 × $1.5 + 1000 × $0.15 + 100 × $9 per million.
  cost_usd: '0.00135',
  pricing: 'table',
};
const usage = {
  input_tokens: 1200,
  input_tokens_details: { cached_tokens: 1000, cache_write_tokens: 0 },
  output_tokens: 100,
  output_tokens_details: { reasoning_tokens: 70 },
  total_tokens: 1300,
};

describe('Gemini', () => {
  it.each([
    ['whole', false],
    ['streamed', true],
  ])('serves a tool loop, %s', async (_, stream) => {
    const gateway = await gateways.start('google');

    const loop = await runToolLoop(gateway, { model: `google/${model}`, stream, ...results });

    const { first, second } = loop;
    expect(first.sent).toEqual(sentFirst);
    expect(first.body).toMatchObject({
      id: `resp_gateway_${first.entry.id}`,
      model,
      status: 'completed',
      usage,
    });
    expect(first.body.output).toEqual(
      loopItems(first.entry.id, {
        reasoning: 'gateway/google/thinking////;',
        signed: [
          `gateway/google/text//google/signature/${encodeURIComponent(geminiSignatures.text)};`,
          `gateway/google/call/call_1/google/signature/${geminiSignatures.call};`,
        ].join(''),
      }),
    );
    expect(first.entry).toMatchObject({ ...entry, stream, finish_reason: 'tool_calls' });
    expect(first.ignored).toEqual(['client_metadata', 'prompt_cache_key', 'tools.web_search']);
    expect(second.sent).toEqual(sentSecond);
    expect(second.body).toMatchObject({
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'In Rome.' }] }],
      usage,
    });
    expect(second.entry).toMatchObject({ ...entry, stream, finish_reason: 'stop' });
    expect(second.ignored).toEqual([...first.ignored, 'input.content.detail']);
    expect(loopProblems(loop)).toEqual([]);
  });
});
