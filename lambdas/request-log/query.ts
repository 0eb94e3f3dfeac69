/** What `GET /api/logs` asks for. */
import { invalidRequest } from '#lambdas/platform/errors.ts';
import { type RawQueryParameters, readInteger, readQueryParameters } from '#lambdas/platform/http/query.ts';
import { parseTimeWindow, type TimeWindow } from '#lambdas/platform/time-window.ts';
import type { LogEntryFilter } from './entry.ts';
export interface LogQuery {
  organizationId: string;
  window: TimeWindow;
  /** An entry belongs to the answer when any of these matches; no entry matches two. */
  filters: LogEntryFilter[];
  limit: number;
  /** As asked for. */
  offset: number;
  /** As it came: who reads it needs the organization's key. */
  cursor: string | undefined;
  /** What a cursor of this query is good for. */
  scope: string;
}

const defaultLimit = 100;
export const highestLimit = 1000;
export const highestOffset = 10_000;
/** No entry has a longer model or metadata, and DynamoDB no place for a key without bounds. */
const longestValueBytes = 256;

const texts = ['model', 'provider', 'prompt_id', 'session_id', 'user_id'] as const;
const names = ['start', 'end', ...texts, 'status', 'limit', 'offset', 'cursor'] as const;

type Parameters = Partial<Record<(typeof names)[number], string>>;

/** Throws a `GatewayError` (400) that names the parameter. */
export function parseLogQuery(organizationId: string, raw: RawQueryParameters): LogQuery {
  const parameters = readQueryParameters(raw, names);
  const window = parseTimeWindow(parameters);
  const conditions = readConditions(parameters);
  const scope = JSON.stringify([organizationId, window, conditions]);
  const { model, provider, ...others } = conditions;
  return {
    organizationId,
    window,
    filters: modelFilters(model, provider).map((filter) => ({ ...filter, ...others })),
    limit: readLimit(parameters),
    offset: readOffset(parameters),
    cursor: parameters.cursor,
    scope,
  };
}

/** What is not asked for is not there. */
function readConditions(parameters: Parameters): LogEntryFilter {
  const conditions: LogEntryFilter = {};
  for (const name of texts) {
    const value = parameters[name];
    if (value === undefined) continue;
    if (!value.isWellFormed() || Buffer.byteLength(value) > longestValueBytes) {
      throw invalidRequest(name, `${name} must be well-formed text of at most ${longestValueBytes} bytes`);
    }
    conditions[name] = value;
  }
  const { status } = parameters;
  if (status !== undefined) conditions.status = readInteger('status', status, { lowest: 100, highest: 599 });
  return conditions;
}

function readLimit({ limit }: Parameters): number {
  return limit === undefined
    ? defaultLimit
    : readInteger('limit', limit, {
        lowest: 1,
        highest: highestLimit,
        hint: '; use the cursor from next_cursor to read on',
      });
}

function readOffset({ offset, cursor }: Parameters): number {
  if (offset === undefined) return 0;
  if (cursor !== undefined) {
    throw invalidRequest(
      'offset',
      'offset cannot be combined with cursor: leave it out, a cursor already says where to go on',
    );
  }
  return readInteger('offset', offset, {
    lowest: 0,
    highest: highestOffset,
    hint: '; use the cursor from next_cursor to go further',
  });
}

// What the parameters `model` and `provider` select, in logs and in costs alike.

/** Every member that is there must be equal. */
export interface ModelFilter {
  model?: string;
  provider?: string;
}

/**
 * The filters of which one has to match; nothing matches two.
 *
 * A model is named with or without its provider: `openai/gpt-4o` is OpenAI's gpt-4o, and also the model of that
 * very name that an aggregator such as OpenRouter serves.
 */
export function modelFilters(model?: string, provider?: string): ModelFilter[] {
  if (model === undefined) return [provider === undefined ? {} : { provider }];
  const filters: ModelFilter[] = [provider === undefined ? { model } : { model, provider }];
  const slash = model.indexOf('/');
  const prefix = model.slice(0, Math.max(slash, 0));
  const rest = model.slice(slash + 1);
  if (prefix !== '' && rest !== '' && (provider === undefined || provider === prefix)) {
    filters.push({ model: rest, provider: prefix });
  }
  return filters;
}

/** Whether any of the filters matches. */
export function matchesModel(
  filters: ModelFilter[],
  { model, provider }: { model: string | null; provider: string | null },
): boolean {
  return filters.some(
    (filter) => (filter.model ?? model) === model && (filter.provider ?? provider) === provider,
  );
}
