/** Ways in which servers send the same tool calls in OpenAI's format. */
import { deltaChunk } from '../openai/events.ts';

interface SentCall {
  index?: unknown;
  id?: unknown;
  type?: string;
  function?: { name?: unknown; arguments?: unknown };
}

type Deltas = readonly (readonly SentCall[])[];

interface CallDialect {
  deltas: Deltas;
  /** Names and arguments of the calls that the model made. */
  calls: readonly (readonly [name: string, json: string])[];
}

const start = (index: unknown, id: unknown, name: string, json?: unknown): SentCall => ({
  index,
  id,
  type: 'function',
  function: { name, ...(json !== undefined && { arguments: json }) },
});
const more = (index: unknown, json: unknown): SentCall => ({ index, function: { arguments: json } });

const oslo = ['get_weather', '{"city":"Oslo"}'] as const;
const rome = ['get_weather', '{"city":"Rome"}'] as const;
const time = ['get_time', '{"zone":"CET"}'] as const;

export const streamedCalls: Readonly<Record<string, CallDialect>> = {
  'one id at two indexes': {
    deltas: [
      [start(0, 'call_1', 'get_weather', '')],
      [more(0, '{"city":')],
      [more(0, '"Oslo"}')],
      [start(1, 'call_1', 'get_time', '')],
      [more(1, '{"zone":"CET"}')],
    ],
    calls: [oslo, time],
  },
  'one id at two indexes, interleaved': {
    deltas: [
      [start(0, 'call_1', 'get_weather'), start(1, 'call_1', 'get_time')],
      [more(1, '{"zone":'), more(0, '{"city":')],
      [more(0, '"Oslo"}'), more(1, '"CET"}')],
    ],
    calls: [oslo, time],
  },
  'one id and one index for two names': {
    deltas: [[start(0, 'call_1', ...oslo)], [start(0, 'call_1', ...time)]],
    calls: [oslo, time],
  },
  'one id, index and name with new arguments': {
    deltas: [[start(0, 'call_1', ...oslo)], [start(0, 'call_1', ...rome)]],
    calls: [oslo, rome],
  },
  'a call twice': {
    deltas: [[start(0, 'call_1', ...oslo)], [start(0, 'call_1', ...oslo)]],
    calls: [oslo],
  },
  'a name in fragments': {
    deltas: [[start(0, 'call_1', 'get_')], [{ index: 0, function: { name: 'weather' } }], [more(0, oslo[1])]],
    calls: [oslo],
  },
  'a whole name in each delta': {
    deltas: [[start(0, 'call_1', 'get_weather', '{"city":')], [start(0, 'call_1', 'get_weather', '"Oslo"}')]],
    calls: [oslo],
  },
  'an empty name in later deltas': {
    deltas: [[start(0, 'call_1', 'get_weather', '')], [start(0, '', '', oslo[1])]],
    calls: [oslo],
  },
  'a new id in each delta': {
    deltas: [
      [start(0, 'call_1', 'get_weather', '')],
      [{ ...more(0, '{"city":'), id: 'call_2' }],
      [{ ...more(0, '"Oslo"}'), id: 'call_3' }],
    ],
    calls: [oslo],
  },
  'the index 0 for each call': {
    deltas: [[start(0, 'call_1', ...oslo)], [start(0, 'call_2', ...time)]],
    calls: [oslo, time],
  },
  'indexes from 1': {
    deltas: [[start(1, 'call_1', ...oslo)], [start(2, 'call_2', ...time)]],
    calls: [oslo, time],
  },
  'no index': {
    deltas: [[start(undefined, 'call_1', ...oslo), start(undefined, 'call_2', ...time)]],
    calls: [oslo, time],
  },
  'null indexes': {
    deltas: [[start(null, 'call_1', ...oslo)], [start(null, 'call_2', ...time)]],
    calls: [oslo, time],
  },
  'neither ids nor indexes': {
    deltas: [[start(undefined, undefined, ...oslo)], [start(undefined, undefined, ...oslo)]],
    calls: [oslo, oslo],
  },
  'the id before the name': {
    deltas: [
      [{ index: 0, id: 'call_1' }],
      [{ index: 0, function: { name: 'get_weather' } }],
      [more(0, oslo[1])],
    ],
    calls: [oslo],
  },
  'arguments as an object': {
    deltas: [[start(0, 'call_1', 'get_weather', { city: 'Oslo' })]],
    calls: [oslo],
  },
  'empty arguments': {
    deltas: [[start(0, 'call_1', 'get_time', '')], [more(0, '')]],
    calls: [['get_time', '{}']],
  },
  'no arguments': {
    deltas: [[start(0, 'call_1', 'get_time')], [start(1, 'call_2', 'get_weather', null)]],
    calls: [
      ['get_time', '{}'],
      ['get_weather', '{}'],
    ],
  },
  'no arguments before a call with some': {
    deltas: [[start(0, 'call_1', 'get_time', '')], [start(1, 'call_2', ...oslo)]],
    calls: [['get_time', '{}'], oslo],
  },
};

export function callChunks(deltas: Deltas): Record<string, unknown>[] {
  return [
    deltaChunk({ role: 'assistant', content: null }),
    ...deltas.map((tool_calls) => deltaChunk({ tool_calls })),
  ];
}

/** Lists of calls as in a message. */
export const wholeCalls: Readonly<
  Record<string, { sent: readonly SentCall[]; calls: CallDialect['calls'] }>
> = {
  'one id for two calls': {
    sent: [start(undefined, 'call_1', ...oslo), start(undefined, 'call_1', ...time)],
    calls: [oslo, time],
  },
  'one id for equal names': {
    sent: [start(0, 'call_1', ...oslo), start(0, 'call_1', ...rome)],
    calls: [oslo, rome],
  },
  'one id for equal calls': {
    sent: [start(undefined, 'call_1', ...oslo), start(undefined, 'call_1', ...oslo)],
    calls: [oslo, oslo],
  },
  'one id for equal names, the first without arguments': {
    sent: [start(undefined, 'call_1', 'get_time', ''), start(undefined, 'call_1', ...time)],
    calls: [['get_time', '{}'], time],
  },
  'no ids and types': {
    sent: [
      { function: { name: oslo[0], arguments: oslo[1] } },
      { id: '', function: { name: time[0], arguments: time[1] } },
    ],
    calls: [oslo, time],
  },
  'arguments as an object': {
    sent: [start(undefined, 'call_1', 'get_weather', { city: 'Oslo' })],
    calls: [oslo],
  },
  'empty and missing arguments': {
    sent: ['', undefined, null, ' \n'].map((json, position) =>
      start(undefined, `call_${position}`, 'get_time', json),
    ),
    calls: ['', undefined, null, ' \n'].map(() => ['get_time', '{}'] as const),
  },
};
