/** The models for Anthropic's clients. https://platform.claude.com/docs/en/api/models/list */
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { type RawQueryParameters, readInteger, readQueryParameters } from '#lambdas/platform/http/query.ts';

interface AnthropicModel {
  type: 'model';
  id: string;
  display_name: string;
  created_at: string;
}

interface ModelPage {
  data: AnthropicModel[];
  /** Whether more models follow or, with `before_id`, precede. */
  has_more: boolean;
  /** `null` for an empty page, like the next one. */
  first_id: string | null;
  last_id: string | null;
}

/** Anthropic's value for an unknown date. Providers do not report when a model was created. */
const unknownDate = '1970-01-01T00:00:00Z';

/** The id is also the name: several providers have a model of the same name. */
export function toAnthropicModel(id: string): AnthropicModel {
  return { type: 'model', id, display_name: id, created_at: unknownDate };
}

const defaultLimit = 20;
const maxLimit = 1000;
const parameterNames = ['limit', 'after_id', 'before_id'] as const;

/**
 * Returns the page of the ids that the query asks for, in their order. Throws a `GatewayError` (400) that names the parameter.
 * Others are ignored: clients send `beta`, and may send more with each version.
 */
export function pageOf(ids: readonly string[], query: RawQueryParameters): ModelPage {
  const { limit = '', after_id, before_id } = readParameters(query);
  const size = limit === '' ? defaultLimit : readInteger('limit', limit, { min: 1, max: maxLimit });
  if (after_id !== undefined && before_id !== undefined)
    throw invalidRequestError('before_id', 'before_id cannot be combined with after_id');
  const start = after_id === undefined ? 0 : indexOf(ids, 'after_id', after_id) + 1;
  const end = before_id === undefined ? ids.length : indexOf(ids, 'before_id', before_id);
  const selected = ids.slice(start, end);
  const data = before_id === undefined ? selected.slice(0, size) : selected.slice(-size);
  return {
    data: data.map(toAnthropicModel),
    has_more: data.length < selected.length,
    first_id: data[0] ?? null,
    last_id: data.at(-1) ?? null,
  };
}

function readParameters(query: RawQueryParameters) {
  const known = parameterNames.filter((name) => query[name] !== undefined);
  return readQueryParameters(Object.fromEntries(known.map((name) => [name, query[name]])), parameterNames);
}

function indexOf(ids: readonly string[], parameter: string, id: string): number {
  const index = ids.indexOf(id);
  if (index === -1) throw invalidRequestError(parameter, `${parameter} must be the id of a listed model`);
  return index;
}
