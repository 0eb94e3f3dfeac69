/** Saved queries about requests: what happened to one, and which were slow, expensive or refused. */

import { allFunctions, apiFunctions, type MonitoredResources } from '../resources.ts';
import type { SavedQuery } from './saved-query.ts';

export function requestQueries(resources: MonitoredResources): SavedQuery[] {
  const { chat, restApi } = resources;
  const chatLogs = [chat.function.logGroup];
  const apiLogs = apiFunctions(resources).map(({ logGroup }) => logGroup);
  return [
    {
      name: 'request-history',
      logGroups: [...allFunctions(resources).map(({ logGroup }) => logGroup), restApi.accessLogs],
      text: `
# Everything about one request, in the order of time. Replace LOG_ID_OR_REQUEST_ID. Lines found by log id contain the
# request_id of the invocation: search for it too, to see its other lines, its end and the API's access log.
fields @timestamp, event, log_id, request_id, status, outcome, error_code, failure_kind, provider_status, latency_ms, overhead_ms, cost_usd, source, error, code, call, at, record.status, @log, @message
| filter @message like "LOG_ID_OR_REQUEST_ID"
| sort @timestamp asc
| limit 1000`,
    },
    {
      name: 'errors-by-code',
      logGroups: apiLogs,
      text: `
# Failed and refused requests by code. For failures of providers: kind, and status of the provider's response.
# request_completed has every chat request with a valid key, but only some of those that rate limits refused, which requests
# counts; request_rejected has only ten a minute of the other endpoints.
fields coalesce(refused_requests, 1) as requests_of_line
| filter (event = "request_completed" and outcome != "completed") or event = "request_rejected"
| stats count(*) as logged, sum(requests_of_line) as requests, latest(log_id) as latest_log_id, latest(request_id) as latest_request_id by error_code, status, outcome, operation, provider, model, failure_kind, provider_status, endpoint
| sort logged desc
| limit 100`,
    },
    {
      name: 'slow-providers',
      logGroups: chatLogs,
      text: `
# Milliseconds that providers took, by operation: the median and the slowest of a hundred requests.
filter event = "request_completed" and outcome = "completed"
| stats count(*) as requests, pct(provider_latency_ms, 50) as provider_p50, pct(provider_latency_ms, 99) as provider_p99, pct(time_to_first_token_ms, 50) as first_token_p50, pct(time_to_first_token_ms, 99) as first_token_p99, sum(retries) as all_retries by operation, provider, model
| sort provider_p99 desc
| limit 100`,
    },
    {
      name: 'slow-requests',
      logGroups: chatLogs,
      text: `
# The slowest requests, with the gateway's own share. To find a slow gateway, sort by overhead_ms.
fields @timestamp, log_id, request_id, operation, provider, model, stream, status, latency_ms, overhead_ms, 100 * overhead_ms / latency_ms as gateway_percent, provider_latency_ms, time_to_first_token_ms, retries, input_tokens, output_tokens, function_version
| filter event = "request_completed"
| sort latency_ms desc
| limit 50`,
    },
    {
      name: 'top-spenders',
      logGroups: chatLogs,
      text: `
# What requests cost, by organization, key, operation and model, without failed attempts of requests to routes. An estimate for
# now: GET /api/costs has the exact sums.
filter event = "request_completed"
| stats sum(cost_usd) as usd, count(*) as requests, sum(input_tokens) as all_input_tokens, sum(output_tokens) as all_output_tokens by organization_id, api_key_id, operation, provider, model
| sort usd desc
| limit 50`,
    },
    {
      name: 'uncertain-costs',
      logGroups: chatLogs,
      text: `
# Requests whose cost is not certain, by model. pricing is "unknown" without a known price, and "assumed" if the invoice may
# differ; otherwise the usage is estimated.
filter event = "request_completed" and (pricing in ["unknown", "assumed"] or (pricing in ["table", "configuration"] and usage_source != "provider"))
| stats count(*) as requests, sum(cost_usd) as usd, sum(input_tokens) as all_input_tokens, sum(output_tokens) as all_output_tokens, latest(log_id) as latest_log_id by provider, model, pricing, usage_source
| sort usd desc, requests desc
| limit 100`,
    },
    {
      name: 'rate-limits',
      logGroups: chatLogs,
      text: `
# Requests that rate limits refused, by limit, and requests that were admitted because their limits could not be checked. A line
# of a refused request stands for all those of its key since the line before.
fields coalesce(refused_requests, 1) as requests_of_line
| filter (event = "request_completed" and error_code = "rate_limit_exceeded" and outcome = "rejected") or event = "rate_limits_not_checked"
| stats sum(requests_of_line) as requests, max(@timestamp) as last_at, latest(log_id) as latest_log_id, latest(request_id) as latest_request_id, latest(error) as latest_error by event, organization_id, api_key_id, entry.refusal.owner, entry.refusal.limit, entry.refusal.limit_value
| sort requests desc
| limit 100`,
    },
    {
      name: 'failed-attempts',
      logGroups: chatLogs,
      text: `
# Attempts of requests to routes that failed before another target served the request, by target, with what they have cost. The
# line is that of the next attempt, and log_id that of the request.
filter event = "request_forwarded" and ispresent(attempt.outcome)
| stats count(*) as attempts, sum(attempt.cost_usd) as usd, pct(attempt.latency_ms, 50) as median_ms, latest(log_id) as latest_log_id, latest(attempt.log_id) as latest_attempt_log_id by entry.organization_id, entry.route, attempt.provider, attempt.model, attempt.outcome, attempt.status, attempt.error_code, attempt.failure_kind, attempt.provider_status
| sort attempts desc
| limit 100`,
    },
    {
      name: 'failing-routes',
      logGroups: chatLogs,
      text: `
# Requests to routes that failed at every target, and targets whose credential or model a provider refused, by target.
filter event in ["no_target_left", "target_misconfigured"]
| stats count(*) as requests, min(@timestamp) as first_at, max(@timestamp) as last_at, latest(log_id) as latest_log_id by event, organization_id, route, target, attempt, error_code
| sort requests desc
| limit 100`,
    },
    {
      name: 'rejected-keys',
      logGroups: apiLogs,
      text: `
# Requests without a valid API key, by reason and network: a sample of a few lines a minute. The metric RejectedKeys
# counts all; suppressed in a line counts the requests since the line before, whose reasons and networks may differ.
filter event = "key_rejected"
| stats count(*) as logged, min(@timestamp) as first_at, max(@timestamp) as last_at, latest(request_id) as latest_request_id by reason, source_ip, endpoint
| sort logged desc
| limit 100`,
    },
  ];
}
