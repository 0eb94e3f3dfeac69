/** Ways in which servers change the events of a stream without changing the completion. */
import { filterObjects, type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import type { Protocol } from './response-formats.ts';

type Change = (events: readonly JsonObject[]) => JsonObject[];

const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
const finishWords: Readonly<Record<string, string>> = {
  stop: 'eos',
  length: 'max_output_tokens',
  tool_calls: 'tool_use',
  content_filter: 'RECITATION',
};

const openai: Readonly<Record<string, Change>> = {
  'a role in each delta': eachDelta((delta) => ({ role: 'assistant', ...delta })),
  'no role': eachDelta(({ role: _, ...delta }) => delta),
  'null members in each delta': eachDelta((delta) => ({ function_call: null, refusal: null, ...delta })),
  'no index of the choice': eachChoice(({ index: _, ...choice }) => choice),
  'no `finish_reason` before the end': eachChoice(({ finish_reason: reason, ...choice }) =>
    reason === null ? choice : { ...choice, finish_reason: reason },
  ),
  'other finish reasons': eachFinish((word) => finishWords[word] ?? word),
  'STOP after tool calls': eachFinish((word) => (word.startsWith('tool') ? 'STOP' : word)),
  'the finish reason twice': (chunks) =>
    chunks.flatMap((chunk) => (isFinish(chunk) ? [chunk, chunk] : [chunk])),
  'a finish reason in each chunk': eachChoice((choice) => ({
    ...choice,
    finish_reason: choice.finish_reason ?? 'stop',
  })),
  'messages instead of deltas': eachChoice(({ delta, ...choice }) => ({ ...choice, message: delta })),
  'an empty error in each chunk': each((chunk) => ({ ...chunk, error: { message: '', code: null } })),
  'an error without members in each chunk': each((chunk) => ({ ...chunk, error: {} })),
  'no envelope': each(({ choices, usage }) => ({ choices, ...(usage !== undefined && { usage }) })),
  'another id in each chunk': (chunks) =>
    chunks.map((chunk, position) => ({ ...chunk, id: `id-${position}` })),
  'a chunk without choices at the start': (chunks) => [
    { id: '', choices: [], prompt_filter_results: [] },
    ...chunks,
  ],
  'no index of tool calls': eachCall(({ index: _, ...call }) => call),
  'the index 0 for each tool call': eachCall((call) => ({ ...call, index: 0 })),
  'one id for each tool call': eachCall((call) => ('id' in call ? { ...call, id: 'call_0' } : call)),
  'no ids of tool calls': eachCall(({ id: _, ...call }) => call),
  'no types of tool calls': eachCall(({ type: _, ...call }) => call),
  'arguments missing at the start': eachCall(({ function: callee, ...call }) => {
    const { arguments: json, ...others } = objectOrEmpty(callee);
    return { ...call, function: { ...others, ...(json !== '' && { arguments: json }) } };
  }),
  'null usage before the end': each((chunk) => ({ usage: null, ...chunk })),
  'usage in each chunk': (chunks) => {
    const usage = chunks.at(-1)?.usage;
    return chunks.map((chunk) => ({ ...chunk, usage }));
  },
  'usage with the finish reason': (chunks) => {
    const usage = chunks.at(-1)?.usage;
    return chunks.slice(0, -1).map((chunk) => (isFinish(chunk) ? { ...chunk, usage } : chunk));
  },
  'usage in two parts': (chunks) => {
    const { prompt_tokens, completion_tokens } = objectOrEmpty(chunks.at(-1)?.usage);
    const [first = {}, ...others] = chunks;
    const last = { ...chunks.at(-1), choices: null, usage: { completion_tokens } };
    return [{ ...first, usage: { prompt_tokens } }, ...others.slice(0, -1), last];
  },
  'zeros after the usage': (chunks) => [...chunks, { ...chunks.at(-1), choices: [], usage: zeros }],
};

const anthropic: Readonly<Record<string, Change>> = {
  pings: (events) => events.flatMap((event) => [{ type: 'ping' }, event]),
  'zeros beside the usage': each((event) =>
    event.type === 'message_delta'
      ? { ...event, usage: { input_tokens: 0, cache_read_input_tokens: 0, ...objectOrEmpty(event.usage) } }
      : event,
  ),
};

const google: Readonly<Record<string, Change>> = {
  'usage in each chunk': (chunks) => {
    const { promptTokenCount } = objectOrEmpty(chunks.at(-1)?.usageMetadata);
    return chunks.map((chunk) => ({ usageMetadata: { promptTokenCount }, ...chunk }));
  },
  'zeros and nulls after the usage': (chunks) => [
    ...chunks,
    { usageMetadata: { promptTokenCount: 0, candidatesTokenCount: null } },
  ],
  'a finish reason in each chunk': (chunks) =>
    chunks.map(({ candidates, ...chunk }) => ({
      candidates: filterObjects(candidates).map((candidate) => ({ finishReason: 'STOP', ...candidate })),
      ...chunk,
    })),
};

const bedrock: Readonly<Record<string, Change>> = {
  'metadata before messageStop': (events) => [
    ...events.slice(0, -2),
    ...events.slice(-1),
    ...events.slice(-2, -1),
  ],
  'zeros after the usage': (events) => [
    ...events.slice(0, -2),
    ...events.slice(-1),
    { metadata: { usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } } },
    ...events.slice(-2, -1),
  ],
};

export const deviations: Readonly<Record<Protocol, Readonly<Record<string, Change>>>> = {
  openai,
  anthropic,
  google,
  bedrock,
};

/** Some exclude each other, also ways to write events: tool calls and their deltas must stay distinguishable. */
const exclusive: readonly (readonly string[])[] = [
  ['a role in each delta', 'no role'],
  ['no index of tool calls', 'no ids of tool calls', 'the index 0 for each tool call'],
  ['no index of tool calls', 'one id for each tool call', 'the index 0 for each tool call'],
  [
    'null usage before the end',
    'usage in each chunk',
    'usage with the finish reason',
    'usage in two parts',
    'zeros after the usage',
  ],
  ['metadata before messageStop', 'zeros after the usage'],
  ['lines that end with CRLF', 'lines that end with CR'],
  ['no blank line after the last event', 'an incomplete event after the last one'],
];

export function areCompatible(names: readonly string[]): boolean {
  return exclusive.every((group) => group.filter((name) => names.includes(name)).length < 2);
}

function isFinish({ choices }: JsonObject): boolean {
  return filterObjects(choices).some(({ finish_reason: reason }) => typeof reason === 'string');
}

function each(change: (event: JsonObject) => JsonObject): Change {
  return (events) => events.map(change);
}

function eachChoice(change: (choice: JsonObject) => JsonObject): Change {
  return each(({ choices, ...chunk }) => ({ ...chunk, choices: filterObjects(choices).map(change) }));
}

function eachFinish(change: (word: string) => string): Change {
  return eachChoice((choice) => ({
    ...choice,
    finish_reason:
      typeof choice.finish_reason === 'string' ? change(choice.finish_reason) : choice.finish_reason,
  }));
}

function eachDelta(change: (delta: JsonObject) => JsonObject): Change {
  return eachChoice((choice) => ({ ...choice, delta: change(objectOrEmpty(choice.delta)) }));
}

function eachCall(change: (call: JsonObject) => JsonObject): Change {
  return eachChoice((choice) => {
    const delta = objectOrEmpty(choice.delta);
    if (!Array.isArray(delta.tool_calls)) return choice;
    return { ...choice, delta: { ...delta, tool_calls: filterObjects(delta.tool_calls).map(change) } };
  });
}
