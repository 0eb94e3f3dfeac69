/** Checks the events of each item against the order in which OpenAI sends them, and puts the items together from their deltas. */
import { filterObjects, isJsonObject, type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';

interface PartOrder {
  /** The name of the events of the part, if it has them. */
  part: string | null;
  /** The name of the events of its text. */
  text: string;
  /** The field of the final event, and of the part or the item. */
  field: string;
  index: string | null;
}

/** By the types of parts of messages, and of other items. */
const orders: Readonly<Record<string, PartOrder>> = {
  output_text: { part: 'content_part', text: 'output_text', field: 'text', index: 'content_index' },
  refusal: { part: 'content_part', text: 'refusal', field: 'refusal', index: 'content_index' },
  reasoning: {
    part: 'reasoning_summary_part',
    text: 'reasoning_summary_text',
    field: 'text',
    index: 'summary_index',
  },
  function_call: { part: null, text: 'function_call_arguments', field: 'arguments', index: null },
  custom_tool_call: { part: null, text: 'custom_tool_call_input', field: 'input', index: null },
};

/** `events` are those of a stream that has ended regularly. */
export function itemProblems(events: readonly JsonObject[]): string[] {
  const ofItems = events.slice(2, -1);
  const ends = ofItems.flatMap(({ type }, at) => (type === 'response.output_item.done' ? [at] : []));
  const groups = ends.map((end, at) => ofItems.slice((ends[at - 1] ?? -1) + 1, end + 1));
  return [
    ...(ofItems.length === (ends.at(-1) ?? -1) + 1 ? [] : ['an event follows the last item']),
    ...groups.flatMap((group, index) => groupProblems(group, index).map((problem) => `${index}: ${problem}`)),
  ];
}

function groupProblems(group: readonly JsonObject[], index: number): string[] {
  const added = objectOrEmpty(group[0]?.item);
  const done = objectOrEmpty(group.at(-1)?.item);
  const [part] = [...filterObjects(done.content), ...filterObjects(done.summary)];
  const kind = done.type === 'message' ? String(part?.type) : String(done.type);
  const order = orders[kind];
  if (order === undefined) return [`unknown item ${kind}`];
  const hasText = kind !== 'reasoning' || part !== undefined;
  const { field, index: indexName } = order;
  const deltas = group.filter(({ type }) => type === `response.${order.text}.delta`);
  const text = deltas.map(({ delta }) => delta).join('');
  const partEvent = (change: string) => (order.part === null ? [] : [`${order.part}.${change}`]);
  const expected = [
    'output_item.added',
    ...(hasText ? partEvent('added') : []),
    ...deltas.map(() => `${order.text}.delta`),
    ...(hasText ? [`${order.text}.done`, ...partEvent('done')] : []),
    'output_item.done',
  ];
  const types = group.map(({ type }) => String(type).slice('response.'.length));
  const inner = group.slice(1, -1);
  const textDone = inner.find(({ type }) => type === `response.${order.text}.done`);
  const parts = inner.flatMap((event) => (isJsonObject(event.part) ? [event.part] : []));
  const checks = {
    [`the order is ${types.join()}`]: types.join() !== expected.join(),
    'the added item is not empty': !isEmptyItem(added),
    'the id or the type changes': added.id !== done.id || added.type !== done.type,
    'the name or the call changes':
      JSON.stringify([added.name, added.namespace, added.call_id]) !==
      JSON.stringify([done.name, done.namespace, done.call_id]),
    'an event has another output_index': group.some(({ output_index }) => output_index !== index),
    'an event has another item_id': inner.some(({ item_id }) => item_id !== done.id),
    'an event has another part': indexName !== null && inner.some((event) => event[indexName] !== 0),
    'a delta is empty': deltas.some(({ delta }) => delta === ''),
    'the final text differs from the deltas': hasText && textDone?.[field] !== text,
    'the item differs from the deltas': hasText && (part ?? done)[field] !== text,
    'the part does not begin empty and end as in the item':
      order.part !== null &&
      hasText &&
      JSON.stringify(parts) !== JSON.stringify([{ ...part, [field]: '' }, part]),
    'the final event has another name': textDone?.name !== undefined && textDone.name !== done.name,
    'the item is still in progress': done.status !== 'completed' && done.status !== 'incomplete',
  };
  return Object.entries(checks).flatMap(([problem, found]) => (found ? [problem] : []));
}

function isEmptyItem({ status, content, summary, arguments: json, input }: JsonObject): boolean {
  const isBlank = [json, input].every((text) => text === undefined || text === '');
  const parts = [...filterObjects(content), ...filterObjects(summary)];
  return status === 'in_progress' && isBlank && parts.length === 0;
}
