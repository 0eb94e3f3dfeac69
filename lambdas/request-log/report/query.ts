/** The parameters of `GET /api/logs`. */
import { invalidRequest } from '#lambdas/platform/errors.ts';
import { type RawQueryParameters, readInteger, readQueryParameters } from '#lambdas/platform/http/query.ts';
import { parseTimeWindow, type TimeWindow } from '#lambdas/platform/time-window.ts';
import type { LogEntry } from '../entry.ts';
import { modelFilters } from '../model-filter.ts';
import type { IndexedField } from '../table/schema.ts';

/** The values that an entry has to have, each where it is set. */
export type LogEntryFilter = { [Field in IndexedField]?: NonNullable<LogEntry[Field]> };

export interface LogQuery {
  organizationId: string;
  window: TimeWindow;
  /** An entry is listed when any of these matches; no entry matches two. */
  filters: LogEntryFilter[];
  limit: number;
  offset: number;
  /** Not verified yet: that takes the organization's key. */
  cursor: string | undefined;
  /** The organization and everything that selects entries: a cursor holds for the scope in which it was made. */
  scope: string;
}

const defaultLimit = 100;
const maxLimit = 1000;
const maxOffset = 10_000;
/** No entry has a longer model or metadata, and DynamoDB refuses keys over 2,048 bytes. */
const maxValueBytes = 256;

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

function readConditions(parameters: Parameters): LogEntryFilter {
  const conditions: LogEntryFilter = {};
  for (const name of texts) {
    const value = parameters[name];
    if (value === undefined) continue;
    if (!value.isWellFormed() || Buffer.byteLength(value) > maxValueBytes) {
      throw invalidRequest(name, `${name} must be well-formed text of at most ${maxValueBytes} bytes`);
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
        highest: maxLimit,
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
    highest: maxOffset,
    hint: '; use the cursor from next_cursor to go further',
  });
}
