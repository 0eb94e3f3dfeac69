import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId, timestampOfLogId } from '#lambdas/request-log/id.ts';

export function logEntry(fields: Partial<LogEntry> = {}): LogEntry {
  const id = fields.id ?? createLogId(Date.UTC(2026, 0, 31, 9, 30));
  return {
    id,
    organization_id: 'org_AAAAAAAAAAAAAAAA',
    created_at: new Date(timestampOfLogId(id)).toISOString(),
    model: 'gpt-4o',
    response_model: 'gpt-4o-2024-08-06',
    provider: 'openai',
    status: 200,
    outcome: 'completed',
    stream: true,
    input_tokens: 1200,
    output_tokens: 300,
    total_tokens: 1500,
    cached_input_tokens: 1024,
    cache_write_input_tokens: 0,
    cache_write_1h_input_tokens: null,
    audio_input_tokens: null,
    cached_audio_input_tokens: null,
    audio_output_tokens: null,
    image_output_tokens: null,
    web_searches: null,
    reasoning_tokens: 128,
    cost_usd: '0.00472',
    pricing: 'table',
    pricing_version: 'genai-prices 0.1.8',
    usage_source: 'provider',
    retries: null,
    finish_reason: 'stop',
    latency_ms: 5120,
    time_to_first_token_ms: 480,
    prompt_id: null,
    session_id: null,
    user_id: null,
    api_key_id: 'key_AAAAAAAAAAAAAAAA',
    provider_request_id: 'req_0123456789abcdef0123456789abcdef',
    error_code: null,
    ...fields,
  };
}
