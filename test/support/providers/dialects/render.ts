/** Renders an answer as each provider documents it, as the events of a stream or as a whole response. */
import { type Answer, type FinishWords, halves } from './answer.ts';

export type Event = Record<string, unknown>;

export interface Rendering {
  events(answer: Answer): Event[];
  whole(answer: Answer): Event;
  finishWords: FinishWords;
}

const head = { id: 'c1', created: 1_794_000_000, model: 'm' };

const openAi: Rendering = {
  finishWords: {
    stop: 'stop',
    length: 'length',
    tool_calls: 'tool_calls',
    content_filter: 'content_filter',
  },
  events({ reasoning, texts, calls, finish, inputTokens, outputTokens }) {
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    });
    const callDeltas = calls.flatMap(({ id, name, arguments: input }, index) => [
      { index, id, type: 'function', function: { name, arguments: '' } },
      ...halves(JSON.stringify(input)).map((text) => ({ index, function: { arguments: text } })),
    ]);
    return [
      chunk({ role: 'assistant', content: '' }),
      ...reasoning.map((reasoning_content) => chunk({ reasoning_content })),
      ...texts.map((content) => chunk({ content })),
      ...callDeltas.map((call) => chunk({ tool_calls: [call] })),
      chunk({}, finish),
      {
        ...head,
        object: 'chat.completion.chunk',
        choices: [],
        usage: openAiUsage(inputTokens, outputTokens),
      },
    ];
  },
  whole({ reasoning, texts, calls, finish, inputTokens, outputTokens }) {
    const message = {
      role: 'assistant',
      content: texts.join('') || null,
      refusal: null,
      ...(reasoning.length > 0 && { reasoning_content: reasoning.join('') }),
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ id, name, arguments: input }) => ({
          id,
          type: 'function',
          function: { name, arguments: JSON.stringify(input) },
        })),
      }),
    };
    return {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
      usage: openAiUsage(inputTokens, outputTokens),
    };
  },
};

function openAiUsage(prompt_tokens: number, completion_tokens: number) {
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

const claudeWords: FinishWords = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

const anthropic: Rendering = {
  finishWords: claudeWords,
  events({ reasoning, texts, calls, finish, inputTokens, outputTokens }) {
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] };
    const block = (index: number, content_block: object, deltas: object[]): Event[] => [
      { type: 'content_block_start', index, content_block },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ];
    const blocks = [
      ...(reasoning.length === 0
        ? []
        : [
            {
              start: { type: 'thinking', thinking: '', signature: '' },
              deltas: reasoning.map((thinking) => ({ type: 'thinking_delta', thinking })),
            },
          ]),
      ...(texts.length === 0
        ? []
        : [
            {
              start: { type: 'text', text: '' },
              deltas: texts.map((text) => ({ type: 'text_delta', text })),
            },
          ]),
      ...calls.map(({ id, name, arguments: input }) => ({
        start: { type: 'tool_use', id, name, input: {} },
        deltas: halves(JSON.stringify(input)).map((partial_json) => ({
          type: 'input_json_delta',
          partial_json,
        })),
      })),
    ];
    return [
      {
        type: 'message_start',
        message: { ...message, usage: { input_tokens: inputTokens, output_tokens: 1 } },
      },
      ...blocks.flatMap(({ start, deltas }, index) => block(index, start, deltas)),
      {
        type: 'message_delta',
        delta: { stop_reason: claudeWords[finish] },
        usage: { output_tokens: outputTokens },
      },
      { type: 'message_stop' },
    ];
  },
  whole({ reasoning, texts, calls, finish, inputTokens, outputTokens }) {
    const content = [
      ...(reasoning.length === 0 ? [] : [{ type: 'thinking', thinking: reasoning.join(''), signature: '' }]),
      ...(texts.length === 0 ? [] : [{ type: 'text', text: texts.join('') }]),
      ...calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input })),
    ];
    const usage = { input_tokens: inputTokens, output_tokens: outputTokens };
    return {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content,
      stop_reason: claudeWords[finish],
      usage,
    };
  },
};

const geminiWords: FinishWords = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'PROHIBITED_CONTENT',
};

const google: Rendering = {
  finishWords: geminiWords,
  events({ reasoning, texts, calls, finish, inputTokens, outputTokens }) {
    const parts = [
      ...reasoning.map((text) => ({ text, thought: true })),
      ...texts.map((text) => ({ text })),
      ...calls.map(({ id, name, arguments: args }) => ({ functionCall: { id, name, args } })),
    ];
    const chunk = (list: object[], fields: object = {}) => ({
      candidates: [{ index: 0, content: { role: 'model', parts: list }, ...fields }],
      modelVersion: 'm',
      responseId: 'r1',
    });
    return [
      ...parts.map((part) => chunk([part])),
      {
        ...chunk([], { finishReason: geminiWords[finish] }),
        usageMetadata: geminiUsage(inputTokens, outputTokens),
      },
    ];
  },
  whole(answer) {
    const events = google.events(answer);
    const parts = events.flatMap(
      (event) => (event.candidates as { content: { parts: object[] } }[])[0]?.content.parts ?? [],
    );
    const last = events.at(-1) ?? {};
    const [candidate] = last.candidates as object[];
    return { ...last, candidates: [{ ...candidate, content: { role: 'model', parts } }] };
  },
};

function geminiUsage(promptTokenCount: number, candidatesTokenCount: number) {
  return { promptTokenCount, candidatesTokenCount, totalTokenCount: promptTokenCount + candidatesTokenCount };
}

const converseWords: FinishWords = { ...claudeWords, content_filter: 'guardrail_intervened' };

const bedrock: Rendering = {
  finishWords: converseWords,
  events({ reasoning, texts, calls, finish, inputTokens, outputTokens }) {
    const delta = (contentBlockIndex: number, value: object) => ({
      contentBlockDelta: { contentBlockIndex, delta: value },
    });
    const stop = (contentBlockIndex: number) => ({ contentBlockStop: { contentBlockIndex } });
    return [
      { messageStart: { role: 'assistant' } },
      ...reasoning.map((text) => delta(0, { reasoningContent: { text } })),
      stop(0),
      ...texts.map((text) => delta(1, { text })),
      stop(1),
      ...calls.flatMap(({ id, name, arguments: input }, place) => [
        { contentBlockStart: { contentBlockIndex: place + 2, start: { toolUse: { toolUseId: id, name } } } },
        ...halves(JSON.stringify(input)).map((text) => delta(place + 2, { toolUse: { input: text } })),
        stop(place + 2),
      ]),
      { messageStop: { stopReason: converseWords[finish] } },
      { metadata: { usage: converseUsage(inputTokens, outputTokens) } },
    ];
  },
  whole({ reasoning, texts, calls, finish, inputTokens, outputTokens }) {
    const content = [
      ...(reasoning.length === 0
        ? []
        : [{ reasoningContent: { reasoningText: { text: reasoning.join('') } } }]),
      ...(texts.length === 0 ? [] : [{ text: texts.join('') }]),
      ...calls.map(({ id, name, arguments: input }) => ({ toolUse: { toolUseId: id, name, input } })),
    ];
    return {
      output: { message: { role: 'assistant', content } },
      stopReason: converseWords[finish],
      usage: converseUsage(inputTokens, outputTokens),
    };
  },
};

function converseUsage(inputTokens: number, outputTokens: number) {
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}

export const renderings = { openai: openAi, anthropic, google, bedrock };
export type DialectProtocol = keyof typeof renderings;
