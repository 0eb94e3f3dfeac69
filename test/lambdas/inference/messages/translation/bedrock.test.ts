/** A tool loop of a caller of the Messages API with Nova. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loopSchema, runToolLoop, toolUse } from '#test/support/messages/tool-loop.ts';
import {
  startTranslatedGateways,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import { imageData } from '#test/support/translation/tool-loop.ts';

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways();
});
afterAll(() => gateways.stop());

const model = 'us.amazon.nova-2-lite-v1:0';
const inputs = { call_1: '{"city":"Oslo"}', call_2: '{"city":"Rome"}' };
const toolUses = Object.entries(inputs).map(([toolUseId, input]) => ({
  toolUse: { toolUseId, name: 'weather', input: JSON.parse(input) },
}));
const reasoning = { reasoningContent: { reasoningText: { text: 'It may rain' } } };
const usage = { inputTokens: 200, outputTokens: 100, totalTokens: 1300, cacheReadInputTokens: 1000 };
const whole = (content: object[], stopReason: string) => ({
  output: { message: { role: 'assistant', content } },
  stopReason,
  usage,
});
const block = (contentBlockIndex: number, deltas: object[], start?: object) => [
  ...(start === undefined ? [] : [{ contentBlockStart: { contentBlockIndex, start } }]),
  ...deltas.map((delta) => ({ contentBlockDelta: { contentBlockIndex, delta } })),
  { contentBlockStop: { contentBlockIndex } },
];
const events = (blocks: object[], stopReason: string) => [
  { messageStart: { role: 'assistant' } },
  ...blocks,
  { messageStop: { stopReason } },
  { metadata: { usage, metrics: { latencyMs: 412 } } },
];
const callBlocks = Object.entries(inputs).flatMap(([toolUseId, input], index) =>
  block(
    index + 2,
    [input.slice(0, 9), input.slice(9)].map((part) => ({ toolUse: { input: part } })),
    { toolUse: { toolUseId, name: 'weather' } },
  ),
);
const results = {
  calls: {
    whole: whole([reasoning, { text: 'I look.' }, ...toolUses], 'tool_use'),
    events: events(
      [
        ...block(0, [{ reasoningContent: { text: 'It may' } }, { reasoningContent: { text: ' rain' } }]),
        ...block(1, [{ text: 'I ' }, { text: 'look.' }]),
        ...callBlocks,
      ],
      'tool_use',
    ),
  },
  end: {
    whole: whole([{ text: 'In Rome.' }], 'end_turn'),
    events: events(block(0, [{ text: 'In ' }, { text: 'Rome.' }]), 'end_turn'),
  },
};

const sentFirst = {
  system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default' } }],
  messages: [{ role: 'user', content: [{ text: 'Where does it rain?' }] }],
  inferenceConfig: { maxTokens: 4000 },
  toolConfig: {
    tools: [
      { toolSpec: { name: 'weather', description: 'Tells the weather', inputSchema: { json: loopSchema } } },
    ],
  },
  additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } },
};
/** Nova takes no reasoning back, which it has not signed. */
const sentSecond = {
  ...sentFirst,
  messages: [
    ...sentFirst.messages,
    { role: 'assistant', content: [{ text: 'I look.' }, ...toolUses] },
    {
      role: 'user',
      content: [
        {
          toolResult: {
            toolUseId: 'call_1',
            content: [{ text: 'No station' }, { image: { format: 'png', source: { bytes: imageData } } }],
            status: 'error',
          },
        },
        { toolResult: { toolUseId: 'call_2', content: [{ text: 'Rain' }] } },
        { text: 'Go on.' },
      ],
    },
  ],
};

const entry = {
  operation: 'messages',
  provider: 'bedrock',
  model,
  outcome: 'completed',
  input_tokens: 1200,
  cached_input_tokens: 1000,
  output_tokens: 100,
  // 200 × $0.33 + 1000 × $0.0825 + 100 × $2.75 per million.
  cost_usd: '0.0004235',
  pricing: 'table',
};
const messageUsage = { input_tokens: 200, cache_read_input_tokens: 1000, output_tokens: 100 };

describe('Nova', () => {
  it.each([
    ['whole', false],
    ['streamed', true],
  ])('serves a tool loop, %s', async (_, stream) => {
    const gateway = await gateways.start('bedrock');

    const { first, second } = await runToolLoop(gateway, { model: `bedrock/${model}`, stream, ...results });

    expect(first.sent).toEqual(sentFirst);
    expect(first.body).toMatchObject({
      id: `msg_${first.entry.id}`,
      model,
      content: [
        { type: 'thinking', thinking: 'It may rain', signature: 'gateway/bedrock/thinking////;' },
        { type: 'text', text: 'I look.' },
        toolUse('call_1', 'Oslo'),
        toolUse('call_2', 'Rome'),
      ],
      stop_reason: 'tool_use',
      usage: messageUsage,
    });
    expect(first.entry).toMatchObject({ ...entry, stream, finish_reason: 'tool_calls' });
    expect(first.ignored.toSorted()).toEqual(['context_management', 'tools.web_search']);
    expect(second.sent).toEqual(sentSecond);
    expect(second.body).toMatchObject({
      content: [{ type: 'text', text: 'In Rome.' }],
      stop_reason: 'end_turn',
      usage: messageUsage,
    });
    expect(second.entry).toMatchObject({ ...entry, stream, finish_reason: 'stop' });
    expect(second.ignored).toEqual(first.ignored);
  });
});
