import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { eventData } from './providers/sse-events.ts';

interface Operation {
  parameters?: { $ref?: string }[];
  responses: Record<string, unknown>;
}

interface ObjectSchema {
  properties?: Record<string, unknown>;
  required?: string[];
  /** The schemas that it extends. */
  allOf?: { $ref: string }[];
}

interface Description {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, ObjectSchema>;
    parameters: Record<string, { name: string }>;
  };
}

const source = readFileSync(new URL('../../docs/openapi.yaml', import.meta.url), 'utf8');
export const apiDescription: Description = parse(source, { strict: true, uniqueKeys: true });

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
ajv.addVocabulary(['openapi', 'info', 'servers', 'security', 'tags', 'paths', 'components']);
ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
ajv.addSchema(apiDescription, 'openapi');

/** Resolves a JSON pointer; `undefined` when it points to nothing. */
export function resolvePointer(pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], apiDescription);
}

/** Validates a value against the schema at a JSON pointer. Returns a message per error. */
export function schemaErrors(value: unknown, pointer: string): string[] {
  const validate = ajv.getSchema(`openapi#${pointer}`);
  if (validate === undefined) return [`no schema at ${pointer}`];
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

export function schemaCompiles(pointer: string): boolean {
  return ajv.getSchema(`openapi#${pointer}`) !== undefined;
}

/** AWS adds it to some names: described headers have it, those of the chat handler do not. */
const remappedPrefix = /^x-amzn-remapped-/;

const documentedHeaders = /^(x-gateway-.*|retry-after(-ms)?|www-authenticate|allow)$/;

/** Compares a response to a request of the operation with the description. Returns a message per difference. */
export function findUndocumented(
  path: string,
  response: { status: number; headers: Readonly<Record<string, string>>; text: string },
): string[] {
  const operation = `/paths/${path.replaceAll('/', '~1')}/post`;
  const pointer = responsePlace(`${operation}/responses/${response.status}`);
  const description = resolvePointer(pointer) as { headers?: object } | undefined;
  if (description === undefined) return [`status ${response.status} is not documented`];
  const known = Object.keys(description.headers ?? {}).map((name) =>
    name.toLowerCase().replace(remappedPrefix, ''),
  );
  const unknown = Object.keys(response.headers).filter(
    (name) => documentedHeaders.test(name) && !known.includes(name),
  );
  return [
    ...unknown.map((name) => `header ${name} of status ${response.status} is not documented`),
    ...bodyProblems(response, pointer),
  ];
}

function responsePlace(pointer: string): string {
  const { $ref } = (resolvePointer(pointer) ?? {}) as { $ref?: string };
  return $ref === undefined ? pointer : $ref.slice(1);
}

function bodyProblems(
  { headers, text }: { headers: Readonly<Record<string, string>>; text: string },
  pointer: string,
): string[] {
  if (headers['content-type']?.startsWith('text/event-stream') !== true) {
    return schemaErrors(JSON.parse(text), `${pointer}/content/application~1json/schema`);
  }
  const chunks = eventData(text).filter((data) => data !== '[DONE]');
  return chunks.flatMap((data) => {
    const value = JSON.parse(data);
    return schemaErrors(value, schemaPointer('error' in value ? 'Error' : 'ChatCompletionChunk'));
  });
}

export function schemaPointer(name: string): string {
  return `/components/schemas/${name}`;
}
