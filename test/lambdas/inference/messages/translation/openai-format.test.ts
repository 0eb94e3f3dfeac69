/** A tool loop of a caller of the Messages API with providers that have OpenAI's format. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  imageData,
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
import { deltaChunk } from '#test/support/providers/openai/events.ts';

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

const toolCalls = loopCompletion.calls.map(({ id, ...callee }) => ({
  id,
  type: 'function',
  function: callee,
}));
const usage = {
  prompt_tokens: 1200,
  prompt_tokens_details: { cached_tokens: 1000 },
  completion_tokens: 100,
  completion_tokens_details: { reasoning_tokens: 70 },
  total_tokens: 1300,
};
const whole = (model: string, message: object, finish_reason: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1767225600,
  model,
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }],
  usage,
});
const events = (model: string, deltas: object[], finish: string) => [
  ...[...deltas.map((delta) => deltaChunk(delta)), deltaChunk({}, finish)].map((chunk) => ({
    ...chunk,
    model,
  })),
  { ...deltaChunk({}), model, choices: [], usage },
  'data: [DONE]',
];
/** The arguments of both calls arrive in turns. */
const callDeltas = [
  {
    tool_calls: toolCalls.map((call, index) => ({
      index,
      ...call,
      function: { ...call.function, arguments: '' },
    })),
  },
  ...[0, 9].map((start) => ({
    tool_calls: loopCompletion.calls.map(({ arguments: json }, index) => ({
      index,
      function: { arguments: start === 0 ? json.slice(0, 9) : json.slice(9) },
    })),
  })),
];

function resultsOf({ model, reasoning }: Server) {
  const thought = (text: string) => (reasoning === null ? [] : [{ [reasoning]: text }]);
  const message = { ...thought('It may rain')[0], content: 'I look.', tool_calls: toolCalls };
  const deltas = [
    ...thought('It may'),
    ...thought(' rain'),
    { content: 'I ' },
    { content: 'look.' },
    ...callDeltas,
  ];
  return {
    calls: { whole: whole(model, message, 'tool_calls'), events: events(model, deltas, 'tool_calls') },
    end: {
      whole: whole(model, { content: 'In Rome.' }, 'stop'),
      events: events(model, [{ content: 'In ' }, { content: 'Rome.' }], 'stop'),
    },
  };
}

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
    const request = { model: `${name}/${model}`, stream, ...resultsOf(server) };

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
      input_tokens: 1200,
      cached_input_tokens: 1000,
      output_tokens: 100,
      reasoning_tokens: 70,
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
