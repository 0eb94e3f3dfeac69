/** The OpenAPI description, and whether a value is what it says. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

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

export function schemaPlace(name: string): string {
  return `/components/schemas/${name}`;
}
