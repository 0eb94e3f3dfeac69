/** A completion of a model, in the response formats of all protocols. */
import { toMessageEvents } from '../anthropic/message-events.ts';
import { bedrockFrame } from '../bedrock/event-stream.ts';
import { buildChunk, deltaChunk, doneEvent, event } from '../openai/events.ts';

interface CompletionCall {
  id: string;
  name: string;
  /** Usually JSON. */
  arguments: string;
}

export interface Completion {
  reasoning?: string;
  text: string;
  calls: readonly CompletionCall[];
  /** The provider's word for why the answer ended; unset for the protocol's usual one. */
  finish?: string | undefined;
}

export const exampleCompletion: Completion = { text: 'Hello there', calls: [] };

/** The response to the caller and the log entry of the example. */
export const exampleResult = {
  caller: {
    status: 200,
    content: 'Hello there',
    finish: 'stop',
    usage: { prompt_tokens: 19, completion_tokens: 5 },
    error: null,
    done: true,
  },
  entry: { outcome: 'completed', usage_source: 'provider', input_tokens: 19, output_tokens: 5 },
};

type Json = Record<string, unknown>;

export interface ResponseFormat {
  /** The price is that of 19 input and 5 output tokens, which every answer has. */
  model: string;
  costUsd: string;
  whole(completion: Completion): Json;
  /** The events of a stream without its terminator. */
  events(completion: Completion): Json[];
  /** The bytes of an event. */
  encode(event: Json): Buffer;
  /** `null` if the last event ends the stream. */
  terminator: string | null;
}

const [input, output] = [19, 5];

const openai: ResponseFormat = {
  model: 'openai/gpt-4o-mini',
  // 19 × $0.15 + 5 × $0.6 per million.
  costUsd: '0.00000585',
  whole: ({ reasoning = '', text, calls, finish = usualFinish(calls, 'stop', 'tool_calls') }) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1767225600,
    model: 'gpt-4o-mini-2024-07-18',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text || null,
          ...(reasoning !== '' && { reasoning_content: reasoning }),
          ...(calls.length > 0 && { tool_calls: calls.map(({ id, ...call }) => openaiCall(id, call)) }),
        },
        finish_reason: finish,
      },
    ],
    usage: openaiUsage,
  }),
  events: ({ reasoning = '', text, calls, finish = usualFinish(calls, 'stop', 'tool_calls') }) => [
    deltaChunk({ role: 'assistant', content: '' }),
    ...halves(reasoning).map((reasoning_content) => deltaChunk({ reasoning_content })),
    ...halves(text).map((content) => deltaChunk({ content })),
    ...calls.flatMap(({ id, arguments: text, ...call }, index) => [
      deltaChunk({ tool_calls: [{ index, ...openaiCall(id, { ...call, arguments: '' }) }] }),
      ...halves(text).map((part) => deltaChunk({ tool_calls: [{ index, function: { arguments: part } }] })),
    ]),
    deltaChunk({}, finish),
    buildChunk({ usage: openaiUsage }),
  ],
  encode: (data) => Buffer.from(event(data)),
  terminator: doneEvent,
};

const openaiUsage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };

function openaiCall(id: string, definition: Omit<CompletionCall, 'id'>) {
  return { id, type: 'function', function: definition };
}

const anthropic: ResponseFormat = {
  model: 'anthropic/claude-sonnet-4-5',
  // 19 × $3 + 5 × $15 per million.
  costUsd: '0.000132',
  whole: ({ reasoning = '', text, calls, finish = usualFinish(calls, 'end_turn', 'tool_use') }) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5-20250929',
    content: [
      ...(reasoning === '' ? [] : [{ type: 'thinking', thinking: reasoning, signature: 'sig' }]),
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map(({ arguments: json, ...call }) => ({ type: 'tool_use', ...call, input: parse(json) })),
    ],
    stop_reason: finish,
    stop_sequence: null,
    usage: { input_tokens: input, output_tokens: output },
  }),
  events: (completion) => toMessageEvents(anthropic.whole(completion)).flatMap(withDeltas).slice(0, -1),
  encode: (data) => Buffer.from(`event: ${data.type}\n${event(data)}`),
  terminator: `event: message_stop\n${event({ type: 'message_stop' })}`,
};

/** Moves the content of a block from its start to deltas. */
function withDeltas(event: Json): Json[] {
  const { index } = event;
  const block = event.content_block as Json | undefined;
  if (event.type !== 'content_block_start' || block === undefined) return [event];
  const { start, deltas } = splitBlock(block);
  return [
    { ...event, content_block: { ...block, ...start } },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  ];
}

function splitBlock({ type, text, thinking, signature, input }: Json): { start: Json; deltas: Json[] } {
  switch (type) {
    case 'text':
      return {
        start: { text: '' },
        deltas: halves(String(text)).map((text) => ({ type: 'text_delta', text })),
      };
    case 'thinking':
      return {
        start: { thinking: '', signature: '' },
        deltas: [
          ...halves(String(thinking)).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature },
        ],
      };
    default:
      return {
        start: { input: {} },
        deltas: halves(JSON.stringify(input)).map((partial_json) => ({
          type: 'input_json_delta',
          partial_json,
        })),
      };
  }
}

const google: ResponseFormat = {
  model: 'google/gemini-2.5-flash',
  // 19 × $0.3 + 5 × $2.5 per million.
  costUsd: '0.0000182',
  whole: ({ finish = 'STOP', ...completion }) =>
    googleEnd(googleParts(completion, [completion.text]), finish),
  events: ({ finish = 'STOP', ...completion }) => {
    const parts = googleParts(completion, halves(completion.text));
    return [...parts.slice(0, -1).map((part) => googleChunk([part])), googleEnd(parts.slice(-1), finish)];
  },
  encode: (data) => Buffer.from(event(data)),
  terminator: null,
};

function googleChunk(parts: Json[], end: Json = {}): Json {
  const candidates = [{ index: 0, content: { role: 'model', parts }, ...end }];
  return { candidates, modelVersion: 'gemini-2.5-flash', responseId: 'response-1' };
}

function googleEnd(parts: Json[], finishReason: string): Json {
  const usageMetadata = {
    promptTokenCount: input,
    candidatesTokenCount: output,
    totalTokenCount: input + output,
  };
  return { ...googleChunk(parts, { finishReason }), usageMetadata };
}

function googleParts({ reasoning = '', calls }: Completion, texts: readonly string[]): Json[] {
  return [
    ...halves(reasoning).map((text) => ({ text, thought: true })),
    ...texts.filter((text) => text !== '').map((text) => ({ text })),
    ...calls.map(({ id, name, arguments: json }) => ({ functionCall: { id, name, args: parse(json) } })),
  ];
}

const bedrock: ResponseFormat = {
  model: 'bedrock/amazon.nova-lite-v1:0',
  // 19 × $0.06 + 5 × $0.24 per million.
  costUsd: '0.00000234',
  whole: ({ reasoning = '', text, calls, finish = usualFinish(calls, 'end_turn', 'tool_use') }) => ({
    output: {
      message: {
        role: 'assistant',
        content: [
          ...(reasoning === '' ? [] : [{ reasoningContent: { reasoningText: { text: reasoning } } }]),
          ...(text === '' ? [] : [{ text }]),
          ...calls.map(({ id: toolUseId, name, arguments: json }) => ({
            toolUse: { toolUseId, name, input: parse(json) },
          })),
        ],
      },
    },
    stopReason: finish,
    usage: bedrockUsage,
  }),
  events: ({ reasoning = '', text, calls, finish = usualFinish(calls, 'end_turn', 'tool_use') }) => [
    { messageStart: { role: 'assistant' } },
    ...halves(reasoning).map((text) => blockDelta(0, { reasoningContent: { text } })),
    { contentBlockStop: { contentBlockIndex: 0 } },
    ...halves(text).map((part) => blockDelta(1, { text: part })),
    { contentBlockStop: { contentBlockIndex: 1 } },
    ...calls.flatMap(({ id: toolUseId, name, arguments: json }, position) => {
      const contentBlockIndex = position + 2;
      return [
        { contentBlockStart: { contentBlockIndex, start: { toolUse: { toolUseId, name } } } },
        ...halves(json).map((part) => blockDelta(contentBlockIndex, { toolUse: { input: part } })),
        { contentBlockStop: { contentBlockIndex } },
      ];
    }),
    { messageStop: { stopReason: finish } },
    { metadata: { usage: bedrockUsage, metrics: { latencyMs: 412 } } },
  ],
  encode: bedrockFrame,
  terminator: null,
};

const bedrockUsage = { inputTokens: input, outputTokens: output, totalTokens: input + output };

function blockDelta(contentBlockIndex: number, delta: Json): Json {
  return { contentBlockDelta: { contentBlockIndex, delta } };
}

export const responseFormats = { openai, anthropic, google, bedrock };

export type Protocol = keyof typeof responseFormats;

export const protocols = Object.keys(responseFormats) as Protocol[];

function usualFinish(calls: Completion['calls'], text: string, tools: string): string {
  return calls.length > 0 ? tools : text;
}

/** Text arrives in more than one event. */
function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== '');
}

function parse(json: string): unknown {
  return JSON.parse(json || '{}');
}
