/** Log entries as CSV, with the columns of `admin logs export --format csv` that the list has, in the same order. */
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { type CsvValue, csvLine } from '#lambdas/platform/csv.ts';

/** All fields of a listed entry, which the type checks. */
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
  finish_reason: true,
  latency_ms: true,
  time_to_first_token_ms: true,
  overhead_ms: true,
  prompt_id: true,
  session_id: true,
  user_id: true,
  api_key_id: true,
  provider_request_id: true,
  error_code: true,
  budget_key_id: true,
  reserved_usd: true,
  budget_counters: true,
};

const columns = Object.keys(isColumn) as (keyof ListedLogEntry)[];

export const headerLine = csvLine(columns);

export function entryLine(entry: ListedLogEntry): string {
  return csvLine(columns.map((name) => csvValue(entry[name])));
}

/** Lists become JSON text. */
function csvValue(value: ListedLogEntry[keyof ListedLogEntry]): CsvValue {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
