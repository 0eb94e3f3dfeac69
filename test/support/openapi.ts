/** The OpenAPI description, and whether a value is what it says. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { eventData } from './providers/sse-events.ts';

interface Operation {
  operationId: string;
  responses: Record<string, unknown>;
}

interface Description {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, { properties?: Record<string, unknown>; required?: string[] }>;
    parameters: Record<string, { name: string }>;
  };
}

const source = readFileSync(new URL('../../docs/openapi.yaml', import.meta.url), 'utf8');
export const description: Description = parse(source, { strict: true, uniqueKeys: true });

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
ajv.addVocabulary(['openapi', 'info', 'servers', 'security', 'tags', 'paths', 'components']);
ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
ajv.addSchema(description, 'openapi');

/** What a JSON pointer leads to; `undefined` where there is nothing. */
export function at(pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], description);
}

/** What is wrong with a value, by the schema at a place in the description; empty when nothing is. */
export function problems(value: unknown, place: string): string[] {
  const validate = ajv.getSchema(`openapi#${place}`);
  if (validate === undefined) return [`there is no schema at ${place}`];
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

export function compiles(place: string): boolean {
  return ajv.getSchema(`openapi#${place}`) !== undefined;
}

/** The headers that an answer may have for the description to name. */
const namedHeaders = /^(x-gateway-.*|retry-after|www-authenticate|allow)$/;

/** What of an answer to a chat request the description does not say; empty when nothing is. */
export function undescribed(answer: {
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
}): string[] {
  const place = responsePlace(`/paths/~1ai~1chat~1completions/post/responses/${answer.status}`);
  const response = at(place) as { headers?: object } | undefined;
  if (response === undefined) return [`there is no answer ${answer.status}`];
  const known = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase());
  const unknown = Object.keys(answer.headers).filter(
    (name) => namedHeaders.test(name) && !known.includes(name),
  );
  return [...unknown.map((name) => `${answer.status} has no header ${name}`), ...bodyProblems(answer, place)];
}

function responsePlace(place: string): string {
  const { $ref } = (at(place) ?? {}) as { $ref?: string };
  return $ref === undefined ? place : $ref.slice(1);
}

function bodyProblems(
  { headers, text }: { headers: Readonly<Record<string, string>>; text: string },
  place: string,
): string[] {
  if (headers['content-type']?.startsWith('text/event-stream') !== true) {
    return problems(JSON.parse(text), `${place}/content/application~1json/schema`);
  }
  const chunks = eventData(text).filter((data) => data !== '[DONE]');
  return chunks.flatMap((data) => {
    const value = JSON.parse(data);
    return problems(value, schemaPlace('error' in value ? 'Error' : 'ChatCompletionChunk'));
  });
}

export function schemaPlace(name: string): string {
  return `/components/schemas/${name}`;
}
