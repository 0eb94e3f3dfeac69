/** Ways in which servers spread the usage of 1000 input and 5 output tokens over the events of a stream. */
import { buildChunk, deltaChunk, doneEvent, event } from '../openai/events.ts';

/** The usage in the first chunk, in the one with the finish reason, and in a chunk of its own, in this order. */
type UsageFrames = readonly [first?: unknown, finish?: unknown, own?: unknown];

const all = { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 };
const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
const nulls = { prompt_tokens: null, completion_tokens: null, total_tokens: null };

export const splitUsage: Readonly<Record<string, UsageFrames>> = {
  'all at the end': [undefined, undefined, all],
  'the input first and the output last': [{ prompt_tokens: 1000 }, undefined, { completion_tokens: 5 }],
  'the input first and the output with the finish reason': [
    { prompt_tokens: 1000 },
    { completion_tokens: 5 },
  ],
  'the output before the input': [undefined, { completion_tokens: 5 }, { prompt_tokens: 1000 }],
  'zeros after the counts': [undefined, all, zeros],
  'nulls after the counts': [undefined, all, nulls],
  'an empty object after the counts': [undefined, all, {}],
  'zeros before the counts': [zeros, zeros, all],
  'the input with a zero, and the output with a zero': [
    { prompt_tokens: 1000, completion_tokens: 0 },
    { prompt_tokens: 0, completion_tokens: 5 },
  ],
  'counts that grow': [
    { prompt_tokens: 1000, completion_tokens: 0, total_tokens: 1000 },
    { prompt_tokens: 1000, completion_tokens: 4, total_tokens: 1004 },
    all,
  ],
  'details after the counts': [undefined, all, { completion_tokens_details: { reasoning_tokens: 2 } }],
  'the total after the counts': [{ prompt_tokens: 1000 }, { completion_tokens: 5 }, { total_tokens: 1005 }],
};

export function chunksWithUsage([first, finish, own]: UsageFrames): string[] {
  const usage = (value: unknown) => (value === undefined ? {} : { usage: value });
  return [
    event({ ...deltaChunk({ role: 'assistant', content: '' }), ...usage(first) }),
    event(deltaChunk({ content: 'Hello there' })),
    event({ ...deltaChunk({}, 'stop'), ...usage(finish) }),
    ...(own === undefined ? [] : [event(buildChunk({ usage: own }))]),
    doneEvent,
  ];
}

const startOf = (usage: unknown) => ({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [],
    usage,
  },
});
const endOf = (usage?: unknown) => ({
  type: 'message_delta',
  delta: { stop_reason: 'end_turn' },
  ...(usage !== undefined && { usage }),
});

/** The first event, and the last ones. */
export const splitMessageUsage: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  'the input first and the output last': [
    startOf({ input_tokens: 1000, output_tokens: 1 }),
    endOf({ output_tokens: 5 }),
  ],
  'zeros beside the output': [
    startOf({ input_tokens: 1000, output_tokens: 0 }),
    endOf({ input_tokens: 0, output_tokens: 5, cache_read_input_tokens: 0 }),
  ],
  'zeros after the output': [startOf({ input_tokens: 1000, output_tokens: 5 }), endOf({ output_tokens: 0 })],
  'nulls after the output': [
    startOf({ input_tokens: 1000, output_tokens: 5 }),
    endOf({ input_tokens: null, output_tokens: null }),
  ],
  'zeros first': [
    startOf({ input_tokens: 0, output_tokens: 0 }),
    endOf({ input_tokens: 1000, output_tokens: 5 }),
  ],
  'none at the end': [startOf({ input_tokens: 1000, output_tokens: 5 }), endOf()],
};

const candidateOf = (text: string, finishReason?: string) => ({
  candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, finishReason }],
});

export const splitGeminiUsage: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  'the input first and the output last': [
    { ...candidateOf('Hello'), usageMetadata: { promptTokenCount: 1000, totalTokenCount: 1000 } },
    { ...candidateOf(' there', 'STOP'), usageMetadata: { candidatesTokenCount: 5, totalTokenCount: 1005 } },
  ],
  'zeros after the counts': [
    { ...candidateOf('Hello'), usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 5 } },
    { ...candidateOf(' there', 'STOP'), usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0 } },
  ],
  'nulls after the counts': [
    { ...candidateOf('Hello'), usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 5 } },
    {
      ...candidateOf(' there', 'STOP'),
      usageMetadata: { promptTokenCount: null, candidatesTokenCount: null },
    },
  ],
  'the counts in a chunk without candidates': [
    candidateOf('Hello'),
    candidateOf(' there', 'STOP'),
    { usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 5, totalTokenCount: 1005 } },
  ],
};
