/** A tool loop of a caller of the Messages API with providers that have OpenAI's format. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  loopCompletion,
  loopRequest,
  loopSchema,
  runToolLoop,
  toolUse,
} from '#test/support/messages/tool-loop.ts';
import {
  startTranslatedGateways,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import { chatCalls, chatResults, imageData, loopCounts } from '#test/support/translation/tool-loop.ts';

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways();
});
afterAll(() => gateways.stop());

interface Server {
  name: string;
  model: string;
  maxTokens: string;
  /** The field of its reasoning, if it has one. */
  reasoning: string | null;
  settings: object;
  cost: object;
  ignored: string[];
}

const hints = ['tools.web_search', 'cache_control', 'context_management'];
const prices = { prices: { input: 1, output: 4, cachedInput: 0.5 } };
const servers: Server[] = [
  {
    name: 'openai',
    model: 'gpt-5.2',
    maxTokens: 'max_completion_tokens',
    reasoning: null,
    settings: {},
    // 200 × $1.75 + 1000 × $0.175 + 100 × $14 per million.
    cost: { cost_usd: '0.001925', pricing: 'table' },
    ignored: hints,
  },
  {
    name: 'vllm',
    model: 'a-model',
    maxTokens: 'max_tokens',
    reasoning: 'reasoning',
    settings: prices,
    // 200 × $1 + 1000 × $0.5 + 100 × $4 per million.
    cost: { cost_usd: '0.0011', pricing: 'configuration' },
    ignored: hints,
  },
  {
    name: 'ollama',
    model: 'qwen3',
    maxTokens: 'max_tokens',
    reasoning: 'reasoning',
    settings: {},
    cost: { cost_usd: '0', pricing: 'unknown' },
    ignored: hints,
  },
];

const toolCalls = chatCalls(loopCompletion);

function sentBy({ model, maxTokens, reasoning }: Server, stream: boolean) {
  const first = {
    model,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Where does it rain?' },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'weather', description: 'Tells the weather', parameters: loopSchema },
      },
    ],
    [maxTokens]: loopRequest.max_tokens,
    reasoning_effort: 'low',
    ...(stream && { stream, stream_options: { include_usage: true } }),
  };
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${imageData}` } };
  const second = {
    ...first,
    messages: [
      ...first.messages,
      {
        role: 'assistant',
        content: 'I look.',
        ...(reasoning !== null && { [reasoning]: 'It may rain' }),
        tool_calls: toolCalls,
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'The tool call failed:\nNo station' },
      { role: 'tool', tool_call_id: 'call_2', content: 'Rain' },
      { role: 'user', content: [image, { type: 'text', text: 'Go on.' }] },
    ],
  };
  return { first, second };
}

describe.each(servers)('$name', (server) => {
  const { name, model, reasoning, settings, cost, ignored } = server;

  it.each([
    ['whole', false],
    ['streamed', true],
  ])('serves a tool loop, %s', async (_, stream) => {
    const gateway = await gateways.start(name, { settings: { [name]: settings } });
    const request = { model: `${name}/${model}`, stream, ...chatResults(loopCompletion, server) };

    const { first, second } = await runToolLoop(gateway, request);

    const sent = sentBy(server, stream);
    const thinking = {
      type: 'thinking',
      thinking: 'It may rain',
      signature: `gateway/${name}/thinking////;`,
    };
    const messageUsage = {
      input_tokens: 200,
      cache_read_input_tokens: 1000,
      output_tokens: 100,
      output_tokens_details: { thinking_tokens: 70 },
    };
    const entry = {
      operation: 'messages',
      provider: name,
      model,
      stream,
      outcome: 'completed',
      ...loopCounts,
      ...cost,
    };
    expect(first.sent).toEqual(sent.first);
    expect(first.body).toMatchObject({
      id: `msg_${first.entry.id}`,
      model,
      content: [
        ...(reasoning === null ? [] : [thinking]),
        { type: 'text', text: 'I look.' },
        toolUse('call_1', 'Oslo'),
        toolUse('call_2', 'Rome'),
      ],
      stop_reason: 'tool_use',
      usage: messageUsage,
    });
    expect(first.entry).toMatchObject({ ...entry, finish_reason: 'tool_calls' });
    expect(first.ignored.toSorted()).toEqual(ignored.toSorted());
    expect(second.sent).toEqual(sent.second);
    expect(second.body).toMatchObject({
      content: [{ type: 'text', text: 'In Rome.' }],
      stop_reason: 'end_turn',
      usage: messageUsage,
    });
    expect(second.entry).toMatchObject({ ...entry, finish_reason: 'stop' });
    // The format has no field for the failure of a tool, which its text states instead.
    expect(second.ignored.toSorted()).toEqual([...ignored, 'messages.content.is_error'].toSorted());
  });
});
