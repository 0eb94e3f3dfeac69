/** A tool loop of a caller of the Responses API with models on Bedrock. */
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
import { imageData } from '#test/support/translation/tool-loop.ts';

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways({ path: '/ai/v1/responses' });
});
afterAll(() => gateways.stop());

const signature = 'EqQBCkYIBxgC+/8=';

interface Model {
  model: string;
  /** The signature of its reasoning, if it has one. */
  signature: string | null;
  encrypted: string;
  cost: string;
  /** The fields of its request besides messages and tools. */
  fields: object;
}

const models: Readonly<Record<string, Model>> = {
  Nova: {
    model: 'us.amazon.nova-2-lite-v1:0',
    signature: null,
    encrypted: 'gateway/bedrock/thinking////;',
    // 300 × $0.33 + 900 × $0.0825 + 100 × $2.75 per million.
    cost: '0.00044825',
    fields: {
      additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } },
    },
  },
  Claude: {
    model: 'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
    signature,
    encrypted: `gateway/bedrock/thinking//anthropic/signature/${encodeURIComponent(signature)};`,
    // 300 × $3 + 900 × $0.3 + 100 × $15 per million.
    cost: '0.00267',
    fields: {
      inferenceConfig: { maxTokens: 64_000 },
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 4096 } },
    },
  },
};

const usage = {
  inputTokens: 300,
  cacheReadInputTokens: 900,
  outputTokens: 100,
  totalTokens: 1300,
};
const whole = (content: object[], stopReason: string) => ({
  output: { message: { role: 'assistant', content } },
  stopReason,
  usage,
});
/** Each part of a block is its start or a delta. */
const events = (blocks: object[][], stopReason: string) => [
  { messageStart: { role: 'assistant' } },
  ...blocks.flatMap((parts, contentBlockIndex) => [
    ...parts.map((part) =>
      'start' in part
        ? { contentBlockStart: { contentBlockIndex, ...part } }
        : { contentBlockDelta: { contentBlockIndex, delta: part } },
    ),
    { contentBlockStop: { contentBlockIndex } },
  ]),
  { messageStop: { stopReason } },
  { metadata: { usage, metrics: { latencyMs: 412 } } },
];

const { reasoning: thought, text, calls } = loopCompletion;
const toolUses = calls.map(({ id: toolUseId, name, arguments: json }) => ({
  toolUse: { toolUseId, name, input: JSON.parse(json) },
}));
const reasoningOf = (model: Model) => ({
  reasoningContent: {
    reasoningText: { text: thought, ...(model.signature !== null && { signature: model.signature }) },
  },
});
const resultsOf = (model: Model) => ({
  calls: {
    whole: whole([reasoningOf(model), { text }, ...toolUses], 'tool_use'),
    events: events(
      [
        [
          { reasoningContent: { text: 'It may' } },
          { reasoningContent: { text: ' rain' } },
          ...(model.signature === null ? [] : [{ reasoningContent: { signature: model.signature } }]),
        ],
        [{ text: 'I ' }, { text: 'look.' }],
        ...calls.map(({ id: toolUseId, name, arguments: json }) => [
          { start: { toolUse: { toolUseId, name } } },
          ...[json.slice(0, 5), json.slice(5)].map((input) => ({ toolUse: { input } })),
        ]),
      ],
      'tool_use',
    ),
  },
  end: {
    whole: whole([{ text: 'In Rome.' }], 'end_turn'),
    events: events([[{ text: 'In ' }, { text: 'Rome.' }]], 'end_turn'),
  },
});

const result = (toolUseId: string, output: string, ...parts: object[]) => ({
  toolResult: { toolUseId, content: [{ text: output }, ...parts] },
});
const image = { image: { format: 'png', source: { bytes: imageData } } };

function sentTo(model: Model) {
  const first = {
    system: [{ text: 'Be brief.' }, { text: 'You have a shell.' }],
    messages: [{ role: 'user', content: [{ text: 'Where does it rain?' }] }],
    toolConfig: {
      tools: loopTools.map(({ schema, ...tool }) => ({
        toolSpec: {
          ...tool,
          inputSchema: { json: model.signature === null ? withoutOthers(schema) : schema },
        },
      })),
    },
    ...model.fields,
  };
  const second = {
    ...first,
    messages: [
      ...first.messages,
      // Nova takes no reasoning back, which it has not signed.
      {
        role: 'assistant',
        content: [...(model.signature === null ? [] : [reasoningOf(model)]), { text }, ...toolUses],
      },
      {
        role: 'user',
        content: [
          result('call_1', 'Rain', image),
          result('call_2', 'Output 1'),
          result('call_3', 'Output 2'),
          { text: 'Go on.' },
        ],
      },
    ],
  };
  return { first, second };
}

/** Nova refuses the keyword. */
function withoutOthers({ additionalProperties: _, ...schema }: (typeof loopTools)[number]['schema']) {
  return schema;
}

describe.each(Object.entries(models))('%s', (_, tested) => {
  const { model, encrypted, cost } = tested;

  it.each([
    ['whole', false],
    ['streamed', true],
  ])('serves a tool loop, %s', async (_form, stream) => {
    const gateway = await gateways.start('bedrock');

    const loop = await runToolLoop(gateway, { model: `bedrock/${model}`, stream, ...resultsOf(tested) });

    const { first, second } = loop;
    const sent = sentTo(tested);
    const entry = {
      operation: 'responses',
      provider: 'bedrock',
      model,
      stream,
      outcome: 'completed',
      input_tokens: 1200,
      cached_input_tokens: 900,
      output_tokens: 100,
      cost_usd: cost,
      pricing: 'table',
    };
    const expectedUsage = {
      input_tokens: 1200,
      input_tokens_details: { cached_tokens: 900, cache_write_tokens: 0 },
      output_tokens: 100,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 1300,
    };
    expect(first.sent).toEqual(sent.first);
    expect(first.body.output).toEqual(loopItems(first.entry.id, { reasoning: encrypted }));
    expect(first.body).toMatchObject({ model, status: 'completed', usage: expectedUsage });
    expect(first.entry).toMatchObject({ ...entry, finish_reason: 'tool_calls' });
    expect(first.ignored).toEqual(['client_metadata', 'prompt_cache_key', 'tools.web_search']);
    expect(second.sent).toEqual(sent.second);
    expect(second.body).toMatchObject({
      output: [{ content: [{ text: 'In Rome.' }] }],
      usage: expectedUsage,
    });
    expect(second.entry).toMatchObject({ ...entry, finish_reason: 'stop' });
    expect(second.ignored).toEqual([...first.ignored, 'input.content.detail']);
    expect(loopProblems(loop)).toEqual([]);
  });
});
