/** Reads the entries of the list, page by page, into the parts of a CSV file. */
import type { ListedLogEntry, LogList } from '#lambdas/accounts/analytics/responses.ts';
import { type CsvValue, csvLine } from '#lambdas/platform/csv.ts';

export const maxExportedEntries = 100_000;

export interface ExportProgress {
  entries: number;
  /** The times of the newest and oldest entry so far; `null` before the first. */
  newest: string | null;
  oldest: string | null;
}

export const noProgress: ExportProgress = { entries: 0, newest: null, oldest: null };

export interface EntryExport extends ExportProgress {
  file: Blob;
  /** False if the list has more entries. */
  isComplete: boolean;
}

/** @param cursor empty for the first page */
export type ReadPage = (cursor: string) => Promise<Pick<LogList, 'data' | 'next_cursor' | 'sorted'>>;

/**
 * All fields of a listed entry, which the type checks: the columns of `admin logs export --format csv` that the list has, in the
 * same order.
 */
const isColumn: Record<keyof ListedLogEntry, true> = {
  id: true,
  created_at: true,
  model: true,
  response_model: true,
  provider: true,
  operation: true,
  status: true,
  outcome: true,
  stream: true,
  input_tokens: true,
  output_tokens: true,
  total_tokens: true,
  cached_input_tokens: true,
  cache_write_input_tokens: true,
  cache_write_1h_input_tokens: true,
  reasoning_tokens: true,
  audio_input_tokens: true,
  cached_audio_input_tokens: true,
  image_input_tokens: true,
  cached_image_input_tokens: true,
  audio_output_tokens: true,
  image_output_tokens: true,
  web_searches: true,
  page_visits: true,
  file_searches: true,
  audio_input_seconds: true,
  context_tokens: true,
  service_tier: true,
  speed: true,
  inference_geo: true,
  region: true,
  cost_usd: true,
  pricing: true,
  pricing_version: true,
  pricing_gaps: true,
  usage_source: true,
  missing_usage: true,
  usage_warnings: true,
  retries: true,
  provider_calls: true,
  route: true,
  attempt: true,
  superseded_by: true,
  skipped_targets: true,
  finish_reason: true,
  latency_ms: true,
  time_to_first_token_ms: true,
  overhead_ms: true,
  prompt_id: true,
  session_id: true,
  user_id: true,
  api_key_id: true,
  provider_request_id: true,
  response_id: true,
  error_code: true,
  error_type: true,
  error_param: true,
  error_message: true,
  refusal: true,
  refused_requests: true,
  budget_key_id: true,
  reserved_usd: true,
  pending_usd: true,
  budget_counters: true,
};

const columns = Object.keys(isColumn) as (keyof ListedLogEntry)[];

export const headerLine = csvLine(columns);

export async function exportEntries(
  readPage: ReadPage,
  onProgress: (progress: ExportProgress) => void,
): Promise<EntryExport> {
  const parts: string[] = [headerLine];
  let progress = noProgress;
  let cursor: string | null = '';
  let hasMoreMatches = false;
  while (cursor !== null && progress.entries < maxExportedEntries) {
    const page: Awaited<ReturnType<ReadPage>> = await readPage(cursor);
    const entries: readonly ListedLogEntry[] = page.data.slice(0, maxExportedEntries - progress.entries);
    parts.push(entries.map(entryLine).join(''));
    const times = [progress.newest, progress.oldest, ...entries.map(({ created_at: time }) => time)]
      .filter((time) => time !== null)
      .sort();
    progress = {
      entries: progress.entries + entries.length,
      newest: times.at(-1) ?? null,
      oldest: times[0] ?? null,
    };
    cursor = page.next_cursor;
    hasMoreMatches = page.sorted?.more_matches ?? false;
    onProgress(progress);
  }
  return {
    ...progress,
    file: new Blob(parts, { type: 'text/csv' }),
    isComplete: cursor === null && !hasMoreMatches,
  };
}

/** Such as `requests-2026-11-01-to-2026-11-23.csv`, by the days of the entries in UTC. */
export function exportFileName(newest: string, oldest: string): string {
  return `requests-${oldest.slice(0, 10)}-to-${newest.slice(0, 10)}.csv`;
}

export function entryLine(entry: ListedLogEntry): string {
  return csvLine(columns.map((name) => csvValue(entry[name])));
}

/** Lists and objects become JSON text. */
function csvValue(value: ListedLogEntry[keyof ListedLogEntry]): CsvValue {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
