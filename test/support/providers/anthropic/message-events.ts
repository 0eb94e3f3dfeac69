import { filterObjects, isJsonObject, type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';

export function anthropicEvent(event: unknown): string {
  if (!isJsonObject(event)) throw new Error('An event must be an object');
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Usage that is only in the first event of a stream. */
const firstFields = ['cache_creation', 'service_tier', 'speed', 'inference_geo'];

/** Usage that is both in the first event, for the first round, and in the last, for all rounds. */
const countFields = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
];

/** Returns the stream events of a non-streaming message. https://platform.claude.com/docs/en/build-with-claude/streaming */
export function toMessageEvents(message: JsonObject): JsonObject[] {
  const { content, stop_reason, stop_details, container = null, ...start } = message;
  const usage = objectOrEmpty(message.usage);
  const firstRound = { ...usage, ...filterObjects(usage.iterations)[0] };
  const startUsage = { ...pick(firstRound, countFields), ...pick(usage, firstFields) };
  return [
    {
      type: 'message_start',
      message: { ...start, content: [], stop_reason: null, container: null, usage: startUsage },
    },
    ...filterObjects(content).flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason, stop_details, container },
      usage: Object.fromEntries(Object.entries(usage).filter(([name]) => !firstFields.includes(name))),
    },
    { type: 'message_stop' },
  ];
}

function pick(fields: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}
