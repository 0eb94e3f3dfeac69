/**
 * Validates responses and events of streams against OpenAI's published schema of the Responses API, and the order of a
 * stream's events, which the schema does not describe.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  filterObjects,
  isJsonObject,
  type JsonObject,
  objectOrEmpty,
  parseJsonObject,
} from '#lambdas/platform/json/json.ts';
import published from '#test/fixtures/schemas/openai-responses.json' with { type: 'json' };

const { ModelResponseProperties: modelProperties, ResponseErrorEvent: errorEvent } = published.$defs;

/** Finds the schema by the type, so that problems are those of one schema. */
function chosenByType(oneOf: readonly object[]): object {
  return { type: 'object', required: ['type'], discriminator: { propertyName: 'type' }, oneOf };
}

/** OpenAI's servers send what its schema does not allow. */
const asSent = {
  ...published.$defs,
  // Results of the caller's tools are input.
  OutputItem: chosenByType(
    published.$defs.OutputItem.anyOf.filter(({ $ref }) => !/OutputResource$/.test($ref)),
  ),
  OutputContent: chosenByType(published.$defs.OutputContent.anyOf),
  OutputMessageContent: chosenByType(published.$defs.OutputMessageContent.anyOf),
  ResponseStreamEvent: chosenByType(published.$defs.ResponseStreamEvent.anyOf),
  ResponseUsage: { anyOf: [published.$defs.ResponseUsage, { type: 'null' }] },
  ModelResponseProperties: {
    ...modelProperties,
    properties: { ...modelProperties.properties, user: { type: ['string', 'null'] } },
  },
  ResponseErrorEvent: {
    ...errorEvent,
    properties: {
      ...errorEvent.properties,
      error: { type: 'object', required: ['type', 'code', 'message', 'param'] },
    },
    required: ['type', 'sequence_number'],
    anyOf: [{ required: ['code', 'message', 'param'] }, { required: ['error'] }],
  },
};

const ajv = new Ajv2020({ strict: false, allErrors: true, discriminator: true });
ajv.addSchema({ $defs: asSent }, 'openai');

function problemsOf(name: 'Response' | 'ResponseStreamEvent', value: unknown): string[] {
  const validate = ajv.getSchema(`openai#/$defs/${name}`);
  if (validate === undefined) throw new Error(`The schema has no ${name}`);
  if (validate(value) === true) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** The types of items in the input of a request. */
export const inputItemTypes: readonly string[] = [
  ...new Set([...published.$defs.Item.anyOf, ...published.$defs.InputItem.anyOf].flatMap(typesOf)),
  'item_reference',
];

function typesOf(schema: { $ref: string }): string[] {
  const definitions: JsonObject = published.$defs;
  const { properties } = objectOrEmpty(definitions[String(schema.$ref).slice('#/$defs/'.length)]);
  const { enum: types } = objectOrEmpty(objectOrEmpty(properties).type);
  return Array.isArray(types) ? types.map(String) : [];
}

/** The parameters of `POST /responses`. */
export const responsesParameters: ReadonlySet<string> = new Set(
  [
    ...published.$defs.CreateResponse.allOf,
    ...published.$defs.CreateModelResponseProperties.allOf,
    published.$defs.ModelResponseProperties,
    published.$defs.ResponseProperties,
  ].flatMap((schema) => Object.keys('properties' in schema ? objectOrEmpty(schema.properties) : {})),
);

/** Only responses that have not been completed may be without usage. */
export function responseProblems(response: unknown): string[] {
  const isComplete = isJsonObject(response) && /^(completed|incomplete)$/.test(String(response.status));
  return [
    ...problemsOf('Response', response),
    ...(isComplete && !isJsonObject(response.usage) ? ['/usage must be an object'] : []),
  ];
}

export function eventProblems(event: unknown): string[] {
  const problems = problemsOf('ResponseStreamEvent', event);
  return isJsonObject(event) && 'response' in event
    ? [...problems, ...responseProblems(event.response)]
    : problems;
}

const lastEvents = ['response.completed', 'response.incomplete', 'response.failed'];

/** Validates the text of a complete stream, in which comments may be anywhere; returns the problems found. */
export function streamProblems(text: string): string[] {
  const blocks = text
    .split('\n\n')
    .slice(0, -1)
    .filter((block) => !block.startsWith(':'));
  const events = blocks.map((block) => {
    const [, name, data = ''] = /^event: ([^\n]+)\ndata: ([^\n]+)$/.exec(block) ?? [];
    const event = parseJsonObject(data);
    return event !== null && event.type === name ? event : null;
  });
  const valid = events.filter((event) => event !== null);
  const types = valid.map(({ type }) => String(type));
  const end = types.findIndex((type) => lastEvents.includes(type));
  const done = valid.filter(({ type }) => type === 'response.output_item.done');
  const final = valid[end]?.response;
  const output = isJsonObject(final) ? filterObjects(final.output) : [];
  const checks = {
    'the last event does not end with a blank line': !text.endsWith('\n\n'),
    'an event has no data, or another name than type': valid.length < events.length,
    'sequence numbers do not count from 0': valid.some(({ sequence_number }, at) => sequence_number !== at),
    'the stream does not begin with created and in_progress':
      types.slice(0, 2).join() !== 'response.created,response.in_progress',
    'the last event is no end': end !== types.length - 1,
    'the final output differs from the finished items':
      JSON.stringify(output) !== JSON.stringify(done.map(({ item }) => item)),
    'more than one item is open': !isOneByOne(valid),
  };
  return [
    ...Object.entries(checks).flatMap(([problem, found]) => (found ? [problem] : [])),
    ...valid.flatMap((event, at) => eventProblems(event).map((problem) => `${at} ${event.type}: ${problem}`)),
  ];
}

/** Whether each item, and each of its parts, ends before the next one begins. */
function isOneByOne(events: readonly JsonObject[]): boolean {
  const open: string[] = [];
  for (const { type, output_index, content_index, summary_index } of events) {
    const [, kind, change] = /^response\.(\w+)\.(added|done)$/.exec(String(type)) ?? [];
    if (change === undefined || !/_(item|part)$/.test(kind ?? '')) continue;
    const name = [kind, output_index, content_index, summary_index].join(' ');
    if (change === 'done' && open.pop() !== name) return false;
    if (change === 'added') open.push(name);
    if (open.length > 2) return false;
  }
  return open.length === 0;
}
