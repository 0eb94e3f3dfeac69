/** What `GET /api/logs` asks for, and the page that answers it. */
import { createHash } from 'node:crypto';
import { invalidRequest } from './gateway-error.ts';
import type { LogEntry, LogEntryFilter, LogEntryReader } from './log-entry.ts';
import { isUuid } from './log-id.ts';
import { mergeNewestFirst } from './merge-newest-first.ts';
import { type RawQueryParameters, readInteger, readQueryParameters } from './query-parameters.ts';
import { parseTimeWindow, type TimeWindow } from './time-window.ts';

export interface LogQuery {
  organizationId: string;
  window: TimeWindow;
  /** An entry belongs to the answer when any of these matches; no entry matches two. */
  filters: LogEntryFilter[];
  limit: number;
  offset: number;
  /** Only entries older than this id: where the page before ended. */
  before: string | undefined;
  /** Binds a cursor to the organization and the filters that it was made for. */
  fingerprint: Buffer;
}

export interface LogPage {
  entries: LogEntry[];
  hasMore: boolean;
  /** For the page that follows; `null` when there is none. */
  nextCursor: string | null;
}

const defaultLimit = 100;
const highestLimit = 1000;
const highestOffset = 10_000;
const names = ['start', 'end', 'model', 'provider', 'limit', 'offset', 'cursor'] as const;

/** Throws a `GatewayError` (400) that names the parameter. */
export function parseLogQuery(organizationId: string, raw: RawQueryParameters): LogQuery {
  const parameters = readQueryParameters(raw, names);
  const { model, provider, limit, offset, cursor, start, end } = parameters;
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([organizationId, start, end, model, provider]))
    .digest()
    .subarray(0, 8);
  if (cursor !== undefined && offset !== undefined) {
    throw invalidRequest(
      'offset',
      'offset cannot be combined with cursor: a cursor already says where to go on',
    );
  }
  return {
    organizationId,
    window: parseTimeWindow(parameters),
    filters: filtersFor(model, provider),
    limit:
      limit === undefined ? defaultLimit : readInteger('limit', limit, { lowest: 1, highest: highestLimit }),
    offset:
      offset === undefined
        ? 0
        : readInteger('offset', offset, {
            lowest: 0,
            highest: highestOffset,
            hint: '; use the cursor from next_cursor to go further',
          }),
    before: cursor === undefined ? undefined : readCursor(cursor, fingerprint),
    fingerprint,
  };
}

/**
 * A model is named with or without its provider: `openai/gpt-4o` is OpenAI's gpt-4o, and also the model of that
 * very name that an aggregator such as OpenRouter serves.
 */
function filtersFor(model: string | undefined, provider: string | undefined): LogEntryFilter[] {
  if (model === undefined) return [provider === undefined ? {} : { provider }];
  const filters: LogEntryFilter[] = [provider === undefined ? { model } : { model, provider }];
  const slash = model.indexOf('/');
  const prefix = model.slice(0, Math.max(slash, 0));
  const rest = model.slice(slash + 1);
  if (prefix !== '' && rest !== '' && (provider === undefined || provider === prefix)) {
    filters.push({ model: rest, provider: prefix });
  }
  return filters;
}

/** Reads one entry more than the page holds, to know whether another page follows. */
export async function readLogPage(reader: LogEntryReader, query: LogQuery): Promise<LogPage> {
  const { organizationId, window, before, limit, offset, fingerprint } = query;
  const pageSize = Math.min(offset + limit + 1, highestLimit);
  const runs = query.filters.map((filter) =>
    reader.newestFirst({
      organizationId,
      filter,
      window,
      pageSize,
      ...(before === undefined ? {} : { before }),
    }),
  );
  const entries: LogEntry[] = [];
  let toSkip = offset;
  for await (const entry of mergeNewestFirst(runs)) {
    if (toSkip > 0) toSkip--;
    else entries.push(entry);
    if (entries.length > limit) break;
  }
  const page = entries.slice(0, limit);
  const last = page.at(-1);
  const hasMore = entries.length > limit;
  return {
    entries: page,
    hasMore,
    nextCursor: hasMore && last !== undefined ? writeCursor(last.id, fingerprint) : null,
  };
}

function writeCursor(id: string, fingerprint: Buffer): string {
  return Buffer.concat([Buffer.from(id.replaceAll('-', ''), 'hex'), fingerprint]).toString('base64url');
}

function readCursor(cursor: string, fingerprint: Buffer): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const id = bytes
    .subarray(0, 16)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  if (bytes.toString('base64url') !== cursor || !isUuid(id) || !bytes.subarray(16).equals(fingerprint)) {
    throw invalidRequest('cursor', 'cursor must be the next_cursor of a page with the same parameters');
  }
  return id;
}
