import { describe, expect, it } from 'vitest';
import { additionsOf, type CostRollup } from '#lambdas/costs/rollups/rollup.ts';
import { parseLogQuery } from '#lambdas/reports/logs/query/query.ts';
import { rowConditionsOf } from '#lambdas/reports/logs/search/row-conditions.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { logEntry } from '#test/support/log-entries.ts';

const conditionsOf = (parameters: Record<string, string>) => {
  const raw = Object.entries(parameters).map(([name, value]) => [name, [value]]);
  return rowConditionsOf(parseLogQuery('org_1', Object.fromEntries(raw)));
};

/** The rows that the conditions read, as `dimension` or `dimension=value`. */
const rowsOf = (parameters: Record<string, string>) =>
  conditionsOf(parameters)?.map(({ dimension, value }) =>
    value === null ? dimension : `${dimension}=${value}`,
  ) ?? null;

const hourRowsOf = (entry: LogEntry) =>
  additionsOf(entry)
    .filter(({ key }) => key.period === 'hour')
    .map(({ key, totals }) => ({
      dimension: key.dimension,
      row: { ...key, startMs: 0, totals } as CostRollup,
    }));

/** Whether an hour with only this entry may have matching entries. */
function isRead(fields: Partial<LogEntry>, parameters: Record<string, string>): boolean {
  const rows = hourRowsOf(logEntry(fields));
  return (conditionsOf(parameters) ?? []).every(({ dimension, value, isMet }) =>
    rows.some(
      (each) =>
        each.dimension === dimension && (value === null || each.row.value === value) && isMet(each.row),
    ),
  );
}

const limited = { outcome: 'provider_error', status: 429, error_code: 'rate_limit_exceeded' } as const;
const invented = { ...limited, error_code: 'invented' } as const;
/** An attempt after which another target has served the request. */
const attempt = { ...limited, route: 'fast', superseded_by: '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01' };
const rejected = {
  outcome: 'rejected',
  status: 400,
  error_code: 'model_not_found',
  provider: null,
  model: 'm',
  service_tier: null,
} as const;

describe('The rollup rows that a query reads', () => {
  it.each<[Record<string, string>, string[] | null]>([
    [{}, null],
    [{ model: 'm', status: '429', user_id: 'u', service_tier: 'flex', operation: 'embeddings' }, null],
    [{ api_key_id: 'k' }, ['api_key=k']],
    [{ route: 'r' }, ['route=r']],
    [{ route: 'r', outcome: 'rejected' }, ['route=r']],
    [{ route: 'r', api_key_id: 'k' }, ['route=r', 'api_key=k']],
    [{ route: 'r', user_id: 'u' }, null],
    [{ outcome: 'completed' }, ['totals']],
    [{ min_cost_usd: '0', max_latency_ms: '5', min_retries: '1' }, null],
    [{ min_cost_usd: '1', model: 'm' }, ['totals']],
    [{ min_latency_ms: '1', user_id: 'u' }, null],
    [{ min_latency_ms: '1', api_key_id: 'k' }, ['api_key=k']],
    [{ min_latency_ms: '1', outcome: 'rejected' }, ['error_code']],
    [{ min_latency_ms: '1', outcome: 'timeout', user_id: 'u' }, ['user_id=u']],
    [{ outcome: 'rejected' }, ['error_code']],
    [{ outcome: 'timeout', api_key_id: 'k' }, ['api_key=k']],
    [{ outcome: 'rejected', api_key_id: 'k' }, ['api_key=k']],
    [{ outcome: 'timeout', prompt_id: 'p', api_key_id: 'k' }, ['prompt_id=p', 'api_key=k']],
    [{ error_code: 'rate_limit_exceeded' }, ['error_code=rate_limit_exceeded']],
    [{ error_code: 'provider:429', outcome: 'rejected' }, ['error_code=provider:429']],
    [{ error_code: 'invented' }, ['error_code']],
    [{ error_code: 'invented', status: '429' }, ['error_code=provider:429']],
    [
      { error_code: 'rate_limit_exceeded', api_key_id: 'k', user_id: 'u' },
      ['error_code=rate_limit_exceeded', 'api_key=k'],
    ],
    [
      { error_code: 'rate_limit_exceeded', outcome: 'provider_error', user_id: 'u' },
      ['error_code=rate_limit_exceeded', 'user_id=u'],
    ],
  ])('for %j are %j', (parameters, rows) => {
    expect(rowsOf(parameters)).toEqual(rows);
  });

  it('are none for a key or for rejected requests of a user, whose index has few entries', () => {
    expect(rowsOf({ user_id: 'u', api_key_id: 'k' })).toBeNull();
    expect(rowsOf({ session_id: 's', outcome: 'rejected' })).toBeNull();
  });
});

describe('Hours that are read', () => {
  const key = { api_key_id: 'key_AAAAAAAAAAAAAAAA' };

  it.each<[Partial<LogEntry>, Record<string, string>]>([
    [{}, key],
    [{}, { outcome: 'completed' }],
    [limited, { outcome: 'provider_error', ...key }],
    [limited, { error_code: 'rate_limit_exceeded', model: 'openai/gpt-4o', service_tier: 'default' }],
    [invented, { error_code: 'invented' }],
    [invented, { error_code: 'invented', status: '429' }],
    [invented, { error_code: 'provider:429', ...key }],
    [{ operation: 'embeddings' }, { ...key, operation: 'embeddings' }],
    [{}, { outcome: 'completed', operation: 'chat.completions' }],
    [rejected, { ...key, operation: 'chat.completions' }],
    [rejected, key],
    [rejected, { ...key, model: 'm' }],
    [rejected, { ...key, outcome: 'rejected' }],
    [rejected, { outcome: 'rejected', model: 'm' }],
    [rejected, { error_code: 'model_not_found', ...key }],
    [rejected, { outcome: 'rejected', min_latency_ms: '1000000' }],
    [{ cost_usd: '0.25' }, { min_cost_usd: '0.25' }],
    [{ latency_ms: 840 }, { min_latency_ms: '840' }],
    [{ time_to_first_token_ms: 840 }, { min_time_to_first_token_ms: '840', ...key }],
    [{ input_tokens: 7, output_tokens: 3, total_tokens: 10 }, { min_total_tokens: '10' }],
    [
      { outcome: 'interrupted', latency_ms: 840 },
      { min_latency_ms: '840', outcome: 'interrupted' },
    ],
    [attempt, key],
    [attempt, { outcome: 'provider_error' }],
    [{ ...attempt, outcome: 'timeout' }, { outcome: 'timeout' }],
    [attempt, { error_code: 'rate_limit_exceeded' }],
    [attempt, { route: 'fast', provider: 'openai' }],
    [
      { ...rejected, route: 'fast' },
      { route: 'fast', model: 'm' },
    ],
    // Histograms do not count the duration of attempts.
    [{ ...attempt, latency_ms: 840_000 }, { min_latency_ms: '840000' }],
    [
      { ...limited, latency_ms: 1 },
      { min_latency_ms: '2000', error_code: 'rate_limit_exceeded' },
    ],
  ])('include the hour of %j for %j', (fields, parameters) => {
    expect(isRead(fields, parameters)).toBe(true);
  });

  it.each<[Partial<LogEntry>, Record<string, string>]>([
    [{}, { api_key_id: 'key_B' }],
    [{}, { outcome: 'rejected' }],
    [{}, { ...key, model: 'gpt-4o-mini' }],
    [{}, { ...key, provider: 'x' }],
    [{}, { ...key, service_tier: 'flex' }],
    [{}, { ...key, operation: 'embeddings' }],
    [{ operation: 'embeddings' }, { outcome: 'completed', operation: 'chat.completions' }],
    [rejected, { ...key, operation: 'embeddings' }],
    [
      { ...rejected, operation: 'messages' },
      { outcome: 'rejected', operation: 'responses' },
    ],
    [attempt, { outcome: 'completed' }],
    [attempt, { outcome: 'client_closed' }],
    [attempt, { route: 'slow' }],
    [{ route: 'fast' }, { route: 'fast', provider: 'x' }],
    [attempt, { min_time_to_first_token_ms: '1', outcome: 'timeout' }],
    [limited, { outcome: 'completed' }],
    [limited, { outcome: 'completed', ...key }],
    [limited, { outcome: 'timeout' }],
    [limited, { error_code: 'invented' }],
    [limited, { error_code: 'provider:429' }],
    [invented, { error_code: 'provider:500' }],
    [invented, { error_code: 'rate_limit_exceeded' }],
    [rejected, { outcome: 'rejected', model: 'gpt-4o' }],
    [rejected, { outcome: 'provider_error', ...key }],
    [rejected, { min_cost_usd: '0.1' }],
    [{ cost_usd: '0.25' }, { min_cost_usd: '0.250000000001' }],
    [{ latency_ms: 840 }, { min_latency_ms: '1000' }],
    [{ time_to_first_token_ms: null }, { min_time_to_first_token_ms: '1' }],
    [{ time_to_first_token_ms: 840 }, { min_time_to_first_token_ms: '1000', ...key }],
    [{ input_tokens: 7, output_tokens: 3, total_tokens: 10 }, { min_total_tokens: '11' }],
    [{ outcome: 'interrupted', latency_ms: 840 }, { min_latency_ms: '840' }],
  ])('do not include the hour of %j for %j', (fields, parameters) => {
    expect(isRead(fields, parameters)).toBe(false);
  });
});
