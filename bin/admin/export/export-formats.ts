/** How an entry is written: one line of JSON, or of comma-separated values. */
import type { LogEntry } from '../../../lambdas/shared/domain/log-entry.ts';
import { logEntryJson } from '../../../lambdas/shared/http/log-entry-json.ts';
import { csvLine } from './csv.ts';

export interface ExportFormat {
  /** What a file begins with. */
  head: string;
  line(entry: LogEntry): string;
}

/** All fields of an entry, in the order of the columns. */
const columns = {
  organization_id: true,
  id: true,
  created_at: true,
  model: true,
  response_model: true,
  provider: true,
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
  audio_output_tokens: true,
  image_output_tokens: true,
  web_searches: true,
  cost_usd: true,
  pricing: true,
  pricing_version: true,
  usage_source: true,
  finish_reason: true,
  latency_ms: true,
  time_to_first_token_ms: true,
  prompt_id: true,
  session_id: true,
  user_id: true,
  api_key_id: true,
  provider_request_id: true,
  error_code: true,
} as const satisfies Record<keyof LogEntry, true>;

const columnNames = Object.keys(columns) as (keyof LogEntry)[];

export const exportFormats = {
  ndjson: {
    head: '',
    line: (entry) =>
      `${JSON.stringify({ organization_id: entry.organization_id, ...logEntryJson(entry) })}\n`,
  },
  csv: {
    head: csvLine(columnNames),
    line: (entry) => csvLine(columnNames.map((name) => entry[name])),
  },
} as const satisfies Record<string, ExportFormat>;

export type ExportFormatName = keyof typeof exportFormats;
