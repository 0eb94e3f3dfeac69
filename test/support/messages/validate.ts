/**
 * Validates messages and events of streams against the types of Anthropic's SDK, and the order of a stream's events, which the
 * types do not describe: https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  filterObjects,
  isJsonObject,
  type JsonObject,
  objectOrEmpty,
  parseJsonObject,
} from '#lambdas/platform/json/json.ts';
import { sdkSchema } from './sdk-schema.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true, discriminator: true });

function createValidation(type: string): (value: unknown) => string[] {
  const validate = ajv.compile(sdkSchema(type));
  return (value) =>
    validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message, params }) =>
          [instancePath, message, params.additionalProperty].filter(Boolean).join(' '),
        );
}

const typedMessageProblems = createValidation('Message');
const typedEventProblems = createValidation('RawMessageStreamEvent');
/** For an error in a response or in a stream. */
export const errorProblems = createValidation('ErrorResponse');

/** Validates a whole message. */
export function messageProblems(message: unknown): string[] {
  const { stop_reason, content } = objectOrEmpty(message);
  const blocks = filterObjects(content);
  return [
    ...typedMessageProblems(message),
    ...failedChecks({
      'the message has no stop_reason': stop_reason === null,
      'the message has stop_reason tool_use but no call':
        stop_reason === 'tool_use' && !blocks.some(({ type }) => type === 'tool_use'),
      'a text is blank': blocks.some(({ type, text }) => type === 'text' && String(text).trim() === ''),
      'thinking has no signature': blocks.some(
        ({ type, signature }) => type === 'thinking' && signature === '',
      ),
      'the input of a call is no object': blocks.some(
        ({ type, input }) => type === 'tool_use' && !isJsonObject(input),
      ),
      'the ids of calls are not unique': hasDuplicates(
        blocks.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : [])),
      ),
    }),
  ];
}

/** Parses the events of a stream. An event with another name than its type is `null`, and so is one without JSON. */
export function messageEvents(text: string): (JsonObject | null)[] {
  const blocks = text.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'));
  return blocks.map((block) => {
    const [, name, data = ''] = /^event: (.+)\ndata: (.+)$/.exec(block) ?? [];
    const event = parseJsonObject(data);
    return event?.type === name ? event : null;
  });
}

/** Validates the text of a complete stream; returns the problems found. */
export function streamProblems(text: string): string[] {
  const all = messageEvents(text);
  const known = all.filter((event) => event !== null);
  const error = known.find(({ type }) => type === 'error');
  const events = known.filter(({ type }) => type !== 'ping' && type !== 'error');
  const types = known.map(({ type }) => String(type));
  const count = (type: string) => types.filter((it) => it === type).length;
  const last = types.at(-1);
  const start = objectOrEmpty(objectOrEmpty(events[0]).message);
  return [
    ...failedChecks({
      'the last event does not end with a blank line': !text.endsWith('\n\n'),
      'an event has no data, or another name than its type': known.length < all.length,
      'the stream does not begin with message_start': types[0] !== 'message_start' && error === undefined,
      'message_start is repeated': count('message_start') > 1,
      'the started message is not empty':
        start.stop_reason !== null || filterObjects(start.content).length > 0,
      'neither message_stop nor an error ends the stream': last !== 'message_stop' && last !== 'error',
      'message_delta does not come before message_stop, once':
        error === undefined && (types.at(-2) !== 'message_delta' || count('message_delta') !== 1),
      'an event follows the end': types
        .slice(0, -1)
        .some((type) => type === 'message_stop' || type === 'error'),
    }),
    ...(error === undefined ? [] : errorProblems(error)),
    ...blockProblems(events, error !== undefined),
    ...events.flatMap((event, at) =>
      typedEventProblems(event).map((problem) => `${at} ${event.type}: ${problem}`),
    ),
  ];
}

const deltaTypes: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
};

/** One block is open at a time, its deltas are of its kind, and a signature is the last one of thinking. */
function blockProblems(events: readonly JsonObject[], isFailed: boolean): string[] {
  const problems: string[] = [];
  let next = 0;
  let open: { type: string; isSigned: boolean } | null = null;
  for (const { type, index, content_block, delta } of events) {
    if (type === 'content_block_start') {
      const block = objectOrEmpty(content_block);
      if (open !== null) problems.push(`block ${index} starts before the one before it stops`);
      if (index !== next) problems.push(`block ${index} starts in place of ${next}`);
      if (!isBlank(block)) problems.push(`block ${index} starts with content`);
      open = { type: String(block.type), isSigned: false };
    } else if (type === 'content_block_delta') {
      const kind = String(objectOrEmpty(delta).type);
      if (open === null || index !== next) problems.push(`a delta of block ${index}, which is not open`);
      else if (!deltaTypes[open.type]?.includes(kind)) problems.push(`${kind} in ${open.type}`);
      if (open?.isSigned) problems.push(`a delta after the signature of block ${index}`);
      if (open !== null && kind === 'signature_delta') open.isSigned = true;
    } else if (type === 'content_block_stop') {
      if (open === null || index !== next) problems.push(`block ${index} stops, which is not open`);
      if (open?.type === 'thinking' && !open.isSigned) problems.push(`block ${index} has no signature`);
      open = null;
      next += 1;
    } else if (open !== null) problems.push(`${type} while block ${index} is open`);
  }
  return open === null || isFailed ? problems : [...problems, `block ${next} does not stop`];
}

function isBlank({ type, text, thinking, signature, input }: JsonObject): boolean {
  if (type === 'text') return text === '';
  if (type === 'thinking') return thinking === '' && signature === '';
  return type !== 'tool_use' || Object.keys(objectOrEmpty(input)).length === 0;
}

function hasDuplicates(values: readonly unknown[]): boolean {
  return new Set(values).size < values.length;
}

function failedChecks(checks: Record<string, boolean>): string[] {
  return Object.keys(checks).filter((problem) => checks[problem]);
}
