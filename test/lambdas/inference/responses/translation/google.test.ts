/** A tool loop of a caller of the Responses API with Gemini. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTranslatedGateways,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import {
  imageData,
  loopCompletion,
  loopItems,
  loopProblems,
  loopTools,
  runToolLoop,
} from '#test/support/responses/tool-loop.ts';

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways({ path: '/ai/v1/responses' });
});
afterAll(() => gateways.stop());

const model = 'gemini-3.5-flash';
const [textSignature, callSignature] = ['EpEgCo4gAb4+9vvW', 'CiQBjz1rXxLK'];
const calls = loopCompletion.calls.map(({ arguments: json, ...call }, index) => ({
  functionCall: { ...call, args: JSON.parse(json) },
  ...(index === 0 && { thoughtSignature: callSignature }),
}));
const usageMetadata = {
  promptTokenCount: 1200,
  cachedContentTokenCount: 1000,
  candidatesTokenCount: 30,
  thoughtsTokenCount: 70,
  totalTokenCount: 1300,
};
const response = (parts: object[], fields: object = {}) => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...fields }],
  modelVersion: model,
  responseId: 'r1',
});
const ended = (parts: object[]) => ({ ...response(parts, { finishReason: 'STOP' }), usageMetadata });
const signedText = { text: 'I look.', thoughtSignature: textSignature };
const results = {
  calls: {
    whole: ended([{ text: 'It may rain', thought: true }, signedText, ...calls]),
    events: [
      response([{ text: 'It may', thought: true }]),
      response([{ text: ' rain', thought: true }]),
      response([{ text: 'I ' }]),
      response([{ text: 'look.', thoughtSignature: textSignature }]),
      ended(calls),
    ],
  },
  end: {
    whole: ended([{ text: 'In Rome.' }]),
    events: [response([{ text: 'In ' }]), ended([{ text: 'Rome.' }])],
  },
};

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
    { role: 'model', parts: [signedText, ...calls] },
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
  input_tokens: 1200,
  cached_input_tokens: 1000,
  output_tokens: 100,
  reasoning_tokens: 70,
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
          `gateway/google/text//google/signature/${encodeURIComponent(textSignature)};`,
          `gateway/google/call/call_1/google/signature/${callSignature};`,
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
