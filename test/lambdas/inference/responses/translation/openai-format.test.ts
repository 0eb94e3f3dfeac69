/** A tool loop of a caller of the Responses API with servers that have only chats in OpenAI's format. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderSettings } from '#lambdas/inference/providers/settings.ts';
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
import { chatCalls, chatResults, imageData, loopCounts } from '#test/support/translation/tool-loop.ts';

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways({ path: '/ai/v1/responses' });
});
afterAll(() => gateways.stop());

interface Server {
  name: string;
  model: string;
  settings: ProviderSettings;
  /** The field of its reasoning, if it takes it back. */
  reasoning: 'reasoning' | null;
  cost: object;
}

const withoutApi = { operations: { responses: false } } as const;
const servers: Server[] = [
  {
    name: 'vllm',
    model: 'a-model',
    settings: { ...withoutApi, prices: { input: 1, output: 4, cachedInput: 0.5 } },
    reasoning: 'reasoning',
    // 200 × $1 + 1000 × $0.5 + 100 × $4 per million.
    cost: { cost_usd: '0.0011', pricing: 'configuration' },
  },
  {
    name: 'ollama',
    model: 'qwen3',
    settings: withoutApi,
    reasoning: 'reasoning',
    cost: { cost_usd: '0', pricing: 'unknown' },
  },
  {
    name: 'together',
    model: 'moonshotai/Kimi-K2.6',
    settings: { prices: { input: 1, output: 4 } },
    reasoning: null,
    // 1200 × $1 + 100 × $4 per million.
    cost: { cost_usd: '0.0016', pricing: 'configuration' },
  },
];

const toolCalls = chatCalls(loopCompletion);

function sentTo({ model, reasoning }: Server, stream: boolean) {
  const first = {
    model,
    messages: [
      { role: 'system', content: ['Be brief.', 'You have a shell.'].map((text) => ({ type: 'text', text })) },
      { role: 'user', content: 'Where does it rain?' },
    ],
    tools: loopTools.map(({ schema, ...tool }) => ({
      type: 'function',
      // A custom tool has no such setting.
      function: { ...tool, parameters: schema, ...(tool.name !== 'write' && { strict: false }) },
    })),
    tool_choice: 'auto',
    reasoning_effort: 'low',
    ...(stream && { stream, stream_options: { include_usage: true } }),
  };
  const image = { url: `data:image/png;base64,${imageData}`, detail: 'high' };
  const second = {
    ...first,
    messages: [
      ...first.messages,
      {
        role: 'assistant',
        content: loopCompletion.text,
        ...(reasoning !== null && { [reasoning]: loopCompletion.reasoning }),
        tool_calls: toolCalls,
      },
      ...['Rain', 'Output 1', 'Output 2'].map((content, index) => ({
        role: 'tool',
        tool_call_id: `call_${index + 1}`,
        content,
      })),
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: image },
          { type: 'text', text: 'Go on.' },
        ],
      },
    ],
  };
  return { first, second };
}

describe.each(servers)('$name', (server) => {
  const { name, model, settings, reasoning, cost } = server;

  it.each([
    ['whole', false],
    ['streamed', true],
  ])('serves a tool loop, %s', async (_, stream) => {
    const gateway = await gateways.start(name, { settings: { [name]: settings } });

    const loop = await runToolLoop(gateway, {
      model: `${name}/${model}`,
      stream,
      ...chatResults(loopCompletion, { model, reasoning: 'reasoning' }),
    });

    const { first, second } = loop;
    const sent = sentTo(server, stream);
    const responseUsage = {
      input_tokens: 1200,
      input_tokens_details: { cached_tokens: 1000, cache_write_tokens: 0 },
      output_tokens: 100,
      output_tokens_details: { reasoning_tokens: 70 },
      total_tokens: 1300,
    };
    const entry = {
      operation: 'responses',
      provider: name,
      model,
      stream,
      outcome: 'completed',
      ...loopCounts,
      ...cost,
    };
    expect(first.sent).toMatchObject(sent.first);
    expect(first.body).toMatchObject({
      id: `resp_gateway_${first.entry.id}`,
      model,
      status: 'completed',
      usage: responseUsage,
    });
    expect(first.body.output).toEqual(
      loopItems(first.entry.id, { reasoning: `gateway/${name}/thinking////;` }),
    );
    expect(first.entry).toMatchObject({ ...entry, finish_reason: 'tool_calls' });
    expect(first.ignored).toContain('tools.web_search');
    expect(second.sent).toMatchObject(sent.second);
    expect(second.body).toMatchObject({
      output: [{ content: [{ text: 'In Rome.' }] }],
      usage: responseUsage,
    });
    expect(second.entry).toMatchObject({ ...entry, finish_reason: 'stop' });
    expect(second.ignored).toEqual([...first.ignored, ...(reasoning === null ? ['input.reasoning'] : [])]);
    expect(loopProblems(loop)).toEqual([]);
  });
});
