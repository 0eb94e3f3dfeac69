/**
 * Finds the ids in a Responses request by which it continues what the provider keeps. The provider would read the contents of
 * any organization. https://platform.openai.com/docs/api-reference/responses/create
 */
import { type GatewayError, invalidRequestError } from '#lambdas/platform/errors.ts';
import { filterObjects, isJsonObject, type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { foldCase } from '#lambdas/platform/json/loose-json.ts';
import type { KeptContents } from '../providers/catalog.ts';
import type { NativeRequest } from '../providers/native/request.ts';

export interface References {
  responses: string[];
  /** Responses whose prompts are compared with that of the request. */
  compared: string[];
  /** Items of earlier responses. */
  items: string[];
  conversations: string[];
  containers: string[];
}

/** More than a conversation has items, and few enough to look up. */
const maxReferences = 2_000;
/** Each takes a write, by which it becomes the organization's. */
const maxPlaces = 20;

export function countReferences(references: References): number {
  return Object.values(references).reduce((sum, ids) => sum + ids.length, 0);
}

const noReferences: References = {
  responses: [],
  compared: [],
  items: [],
  conversations: [],
  containers: [],
};

/** `kept` is what the provider loads by an id. Throws a `GatewayError` (400) for too many references. */
export function findReferences(request: NativeRequest, kept: KeptContents): References {
  if (kept === 'nothing') return noReferences;
  const found = referencesIn(request, kept);
  const places = found.conversations.length + found.containers.length;
  if (places > maxPlaces) throw tooManyError('containers', { count: places, max: maxPlaces });
  const count = countReferences(found);
  if (count > maxReferences) throw tooManyError('earlier items', { count, max: maxReferences });
  return found;
}

function tooManyError(what: string, { count, max }: { count: number; max: number }): GatewayError {
  return invalidRequestError('input', `input must refer to at most ${max} ${what}, not ${count}`);
}

function referencesIn(request: NativeRequest, kept: KeptContents): References {
  const items = valuesOf(request, 'input').flatMap(filterObjects);
  const tools = valuesOf(request, 'tools').flatMap(filterObjects);
  return {
    responses: valuesOf(request, 'previous_response_id').filter(isId),
    compared: valuesOf(request, 'prompt_cache_options')
      .filter(isJsonObject)
      .flatMap((options) => idsIn(options, 'comparison_response_id')),
    items: [
      ...items.filter((item) => isReference(item, kept)).flatMap((item) => idsIn(item, 'id')),
      ...approvedIds(items),
    ],
    conversations: valuesOf(request, 'conversation').flatMap((value) =>
      isJsonObject(value) ? idsIn(value, 'id') : [value].filter(isId),
    ),
    containers: [...new Set([...items, ...tools].flatMap(containersOf))],
  };
}

/** The values of a field, in any letter case and with duplicates: the provider may read any of them. */
function valuesOf({ text, body, members }: NativeRequest, name: string): unknown[] {
  const found = members.filter(({ key }) => key.length === name.length && foldCase(key) === name);
  const [first, ...others] = found;
  if (first?.key === name && others.length === 0) return [body[name]];
  return found.map(({ start, end }) => parseJson(text.slice(start, end)));
}

/** The items that can be given by their ids alone, with the fields that contain what the provider would load. */
const contentFields: ReadonlyMap<string, string> = new Map([
  ['reasoning', 'encrypted_content'],
  ['compaction', 'encrypted_content'],
  ['image_generation_call', 'result'],
]);

/** Whether the provider would load the content of the item: it is not, or not all of it, in the request. */
function isReference(item: JsonObject, kept: KeptContents): boolean {
  const types = fieldsOf(item, 'type');
  const isUntyped = types.every((type) => type === null) && fieldsOf(item, 'role').length === 0;
  if (isUntyped || types.includes('item_reference')) return true;
  if (kept !== 'items') return false;
  return types.some((type) => {
    const content = contentFields.get(String(type));
    return content !== undefined && !isId(item[content]);
  });
}

/** Approved calls that are not in the request: the provider runs those that it keeps. */
function approvedIds(items: readonly JsonObject[]): string[] {
  const contained = items.flatMap((item) => (item.type === 'mcp_approval_request' ? idsIn(item, 'id') : []));
  const approvals = items.filter((item) => fieldsOf(item, 'type').includes('mcp_approval_response'));
  return approvals
    .flatMap((item) => idsIn(item, 'approval_request_id'))
    .filter((id) => !contained.includes(id));
}

/** Containers have files, and state of the code that ran in them. */
function containersOf(value: JsonObject): string[] {
  const environments = fieldsOf(value, 'environment').filter(isJsonObject);
  return [
    ...idsIn(value, 'container'),
    ...[value, ...environments].flatMap((place) => idsIn(place, 'container_id')),
  ];
}

function idsIn(value: JsonObject, name: string): string[] {
  return fieldsOf(value, name).filter(isId);
}

function fieldsOf(value: JsonObject, name: string): unknown[] {
  return Object.keys(value)
    .filter((key) => key.length === name.length && foldCase(key) === name)
    .map((key) => value[key]);
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
