/** What `GET /api/logs` asks for. */
import { invalidRequest } from './gateway-error.ts';
import type { LogEntryFilter } from './log-entry.ts';
import { modelFilters } from './model-filter.ts';
import { type RawQueryParameters, readInteger, readQueryParameters } from './query-parameters.ts';
import { parseTimeWindow, type TimeWindow } from './time-window.ts';

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
