/**
 * Deviations of real servers from the formats that they implement, as data: each changes the events of a stream, and leaves
 * the answer the same.
 */
import { filterObjects, isJsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import type { DialectProtocol, Event } from './render.ts';

export interface Deviation {
  name: string;
  protocol: DialectProtocol;
  apply(events: readonly Event[]): Event[];
}

type Choice = Record<string, unknown>;

const mapChoices = (change: (choice: Choice, event: Event) => Choice) => (events: readonly Event[]) =>
  events.map((event) => {
    const choices = filterObjects(event.choices);
    return choices.length === 0
      ? event
      : { ...event, choices: choices.map((choice) => change(choice, event)) };
  });

const mapDeltas = (change: (delta: Event) => Event) =>
  mapChoices((choice) => (isJsonObject(choice.delta) ? { ...choice, delta: change(choice.delta) } : choice));

const mapCalls = (change: (call: Event) => Event) =>
  mapDeltas((delta) =>
    Array.isArray(delta.tool_calls)
      ? { ...delta, tool_calls: filterObjects(delta.tool_calls).map(change) }
      : delta,
  );

const usageOf = (events: readonly Event[]): Event =>
  Object.assign({}, ...events.map(({ usage }) => objectOrEmpty(usage)));

const emptyError = { message: '', type: '', param: '', code: null };
const finishWords: Readonly<Record<string, string>> = {
  stop: 'eos',
  length: 'max_output_tokens',
  tool_calls: 'tool_use',
  content_filter: 'RECITATION',
};

const openAi = (name: string, apply: Deviation['apply']): Deviation => ({ name, protocol: 'openai', apply });

/** Merges the deltas of each tool call into one, since a call without an index cannot be continued. */
function wholeCalls(events: readonly Event[]): Event[] {
  const whole: Event[] = [];
  for (const event of events) {
    const [call] = filterObjects(objectOrEmpty(filterObjects(event.choices)[0]?.delta).tool_calls);
    const last = whole.at(-1);
    const [known] = filterObjects(objectOrEmpty(filterObjects(last?.choices)[0]?.delta).tool_calls);
    const isStart = objectOrEmpty(call?.function).name !== undefined;
    if (call === undefined || isStart || known === undefined) {
      whole.push(structuredClone(event));
      continue;
    }
    const callee = objectOrEmpty(known.function);
    callee.arguments = `${callee.arguments}${objectOrEmpty(call.function).arguments}`;
  }
  return whole;
}

export const deviations: readonly Deviation[] = [
  openAi('an empty error in each chunk', (events) =>
    events.map((event) => ({ ...event, error: emptyError })),
  ),
  openAi('an error without members in each chunk', (events) =>
    events.map((event) => ({ ...event, error: {} })),
  ),
  openAi(
    'the role in each chunk',
    mapDeltas((delta) => ({ ...delta, role: 'assistant' })),
  ),
  openAi(
    'no role',
    mapDeltas(({ role: _, ...delta }) => delta),
  ),
  openAi('no object and no created', (events) => events.map(({ object: _, created: __, ...event }) => event)),
  openAi('null choices in the chunk with usage', (events) =>
    events.map((event) => (isJsonObject(event.usage) ? { ...event, choices: null } : event)),
  ),
  openAi('the usage in parts', (events) => {
    const { prompt_tokens, completion_tokens } = usageOf(events);
    return events.map((event, place) => {
      if (place === 0) return { ...event, usage: { prompt_tokens } };
      return isJsonObject(event.usage) ? { ...event, usage: { completion_tokens } } : event;
    });
  }),
  openAi('zeros after the usage', (events) => [
    ...events,
    { ...events.at(-1), usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } },
  ]),
  openAi('the usage in the last choice', (events) => {
    const usage = usageOf(events);
    return events
      .filter((event) => !isJsonObject(event.usage))
      .map((event) => (filterObjects(event.choices)[0]?.finish_reason ? { ...event, usage } : event));
  }),
  openAi(
    'other finish words',
    mapChoices((choice) => ({
      ...choice,
      finish_reason: finishWords[String(choice.finish_reason)] ?? choice.finish_reason,
    })),
  ),
  openAi(
    'stop after tool calls',
    mapChoices((choice) =>
      choice.finish_reason === 'tool_calls' ? { ...choice, finish_reason: 'stop' } : choice,
    ),
  ),
  openAi('a doubled finish', (events) =>
    events.flatMap((event) => (filterObjects(event.choices)[0]?.finish_reason ? [event, event] : [event])),
  ),
  openAi(
    'one id for all tool calls',
    mapCalls((call) => (call.id === undefined ? call : { ...call, id: 'call_1' })),
  ),
  openAi(
    'no ids',
    mapCalls(({ id: _, ...call }) => call),
  ),
  openAi('index 0 for all tool calls, each in one chunk', (events) =>
    mapCalls((call) => ({ ...call, index: 0 }))(wholeCalls(events)),
  ),
  openAi('no index, each tool call in one chunk', (events) =>
    mapCalls(({ index: _, ...call }) => call)(wholeCalls(events)),
  ),
  openAi('empty arguments of calls without any', (events) =>
    mapCalls((call) => {
      const callee = objectOrEmpty(call.function);
      return callee.arguments === '{}' ? { ...call, function: { ...callee, arguments: '' } } : call;
    })(wholeCalls(events)),
  ),
  openAi('arguments as an object', (events) =>
    mapCalls((call) => {
      const callee = objectOrEmpty(call.function);
      return { ...call, function: { ...callee, arguments: JSON.parse(String(callee.arguments)) } };
    })(wholeCalls(events)),
  ),
  {
    name: 'pings',
    protocol: 'anthropic',
    apply: (events) => events.flatMap((event) => [{ type: 'ping' }, event]),
  },
  { name: 'no message_stop', protocol: 'anthropic', apply: (events) => events.slice(0, -1) },
  {
    name: 'zeros in message_delta',
    protocol: 'anthropic',
    apply: (events) =>
      events.map((event) =>
        event.type === 'message_delta'
          ? {
              ...event,
              usage: { input_tokens: 0, cache_read_input_tokens: 0, ...objectOrEmpty(event.usage) },
            }
          : event,
      ),
  },
  {
    name: 'usage in each chunk',
    protocol: 'google',
    apply: (events) => {
      const { promptTokenCount } = objectOrEmpty(events.at(-1)?.usageMetadata);
      return events.map((event) => ({ usageMetadata: { promptTokenCount }, ...event }));
    },
  },
  {
    name: 'nulls and zeros after the usage',
    protocol: 'google',
    apply: (events) => [...events, { usageMetadata: { promptTokenCount: 0, candidatesTokenCount: null } }],
  },
  {
    name: 'metadata before messageStop',
    protocol: 'bedrock',
    apply: (events) => [...events.slice(0, -2), events.at(-1) ?? {}, events.at(-2) ?? {}],
  },
];
