/** A tool loop of a caller of the Messages API with Gemini. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loopCompletion, loopSchema, runToolLoop, toolUse } from '#test/support/messages/tool-loop.ts';
import {
  startTranslatedGateways,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import {
  geminiParts,
  geminiResults,
  geminiSignatures,
  imageData,
  loopCounts,
} from '#test/support/translation/tool-loop.ts';

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways();
});
afterAll(() => gateways.stop());

const model = 'gemini-3.5-flash';
const results = geminiResults(loopCompletion, model);

const sentFirst = {
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  contents: [{ role: 'user', parts: [{ text: 'Where does it rain?' }] }],
  tools: [
    {
      functionDeclarations: [
        { name: 'weather', description: 'Tells the weather', parametersJsonSchema: loopSchema },
      ],
    },
  ],
  generationConfig: {
    maxOutputTokens: 4000,
    thinkingConfig: { thinkingLevel: 'low', includeThoughts: true },
  },
};
/** The signatures are where they were, and the image is a part of its result. */
const sentSecond = {
  ...sentFirst,
  contents: [
    ...sentFirst.contents,
    { role: 'model', parts: geminiParts(loopCompletion) },
    {
      role: 'user',
      parts: [
        {
          functionResponse: {
            id: 'call_1',
            name: 'weather',
            response: { error: 'No station' },
            parts: [{ inlineData: { mimeType: 'image/png', data: imageData } }],
          },
        },
        { functionResponse: { id: 'call_2', name: 'weather', response: { output: 'Rain' } } },
        { text: 'Go on.' },
      ],
    },
  ],
};

const ignored = ['tools.web_search', 'cache_control', 'context_management'];
const entry = {
  operation: 'messages',
  provider: 'google',
  model,
  outcome: 'completed',
  ...loopCounts,
  // 200 × $1.5 + 1000 × $0.15 + 100 × $9 per million.
  cost_usd: '0.00135',
  pricing: 'table',
};
const usage = {
  input_tokens: 200,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 1000,
  output_tokens: 100,
  output_tokens_details: { thinking_tokens: 70 },
};

describe('Gemini', () => {
  it.each([
    ['whole', false],
    ['streamed', true],
  ])('serves a tool loop, %s', async (_, stream) => {
    const gateway = await gateways.start('google');

    const { first, second } = await runToolLoop(gateway, { model: `google/${model}`, stream, ...results });

    expect(first.sent).toEqual(sentFirst);
    expect(first.body).toMatchObject({
      id: `msg_${first.entry.id}`,
      model,
      content: [
        { type: 'thinking', thinking: 'It may rain', signature: 'gateway/google/thinking////;' },
        { type: 'text', text: 'I look.' },
        {
          type: 'thinking',
          thinking: '',
          signature: [
            `gateway/google/text//google/signature/${encodeURIComponent(geminiSignatures.text)};`,
            `gateway/google/call/call_1/google/signature/${geminiSignatures.call};`,
          ].join(''),
        },
        toolUse('call_1', 'Oslo'),
        toolUse('call_2', 'Rome'),
      ],
      stop_reason: 'tool_use',
      usage,
    });
    expect(first.entry).toMatchObject({ ...entry, stream, finish_reason: 'tool_calls' });
    expect(first.ignored.toSorted()).toEqual(ignored.toSorted());
    expect(second.sent).toEqual(sentSecond);
    expect(second.body).toMatchObject({
      content: [{ type: 'text', text: 'In Rome.' }],
      stop_reason: 'end_turn',
      usage,
    });
    expect(second.entry).toMatchObject({ ...entry, stream, finish_reason: 'stop' });
    expect(second.ignored).toEqual(first.ignored);
  });
});
