/** Saved queries about the gateway itself: failures, killed requests, counting and scheduled functions. */

import { allFunctions, eventSourceFunctions, type MonitoredResources } from '../resources.ts';
import type { SavedQuery } from './saved-query.ts';

export function operationQueries(resources: MonitoredResources): SavedQuery[] {
  const { chat, logRecovery, maintenance, restApi } = resources;
  const chatLogs = chat.function.logGroup;
  const { recoverRequests, verifyRollups } = maintenance;
  return [
    {
      name: 'internal-errors',
      logGroups: [...allFunctions(resources).map(({ logGroup }) => logGroup), restApi.accessLogs],
      text: `
# Errors of the gateway itself, invocations that were killed, and failed responses of API Gateway (with errorType, and
# lambdaStatus: 200 for a function that was killed or did not start, 429 for one that was throttled).
# at is a location in the bundle; docs/runbook.md#internal-errors explains how to find the line of the source.
fields coalesce(error, record.errorType) as error_name, coalesce(request_id, record.requestId, integrationRequestId) as invocation_id
| filter level = "ERROR" or (type = "platform.report" and record.status != "success") or (ispresent(errorType) and errorType != "-" and status like /^5/)
| stats count(*) as lines, max(@timestamp) as last_at, latest(invocation_id) as latest_request_id by event, error_name, code, call, at, record.status, errorType, lambdaStatus, resource, function_version, @log
| sort lines desc
| limit 100`,
    },
    {
      name: 'killed-requests',
      logGroups: [chatLogs, recoverRequests.logGroup],
      text: `
# Requests that reached a provider, but whose function was killed before it printed their result, and whether they were
# recovered. Requests that are still running are listed too.
fields strcontains(event, "request_completed") as is_completed, strcontains(event, "entry_recovered") as is_recovered
| filter event in ["request_forwarded", "request_completed", "entry_recovered"]
| stats min(@timestamp) as first_at, sum(is_completed) as completed, sum(is_recovered) as recovered, earliest(entry.organization_id) as organization, earliest(entry.provider) as entry_provider, earliest(entry.model) as entry_model, earliest(request_id) as first_request_id by log_id
| filter completed = 0
| sort first_at desc
| limit 200`,
    },
    {
      name: 'unwritten-entries',
      logGroups: [chatLogs, logRecovery.function.logGroup, recoverRequests.logGroup],
      text: `
# Log entries that the table did not accept at first, or without a price, and what became of them. An entry of log_entry_queued
# or price_not_read without a later line was written or priced from the queue; one of log_entry_not_written is restored by
# the recovery half an hour later.
fields @timestamp, event, log_id, request_id, organization_id, outcome, source, reason, error, table_error, code, call, at
| filter event in ["log_entry_queued", "log_entry_not_written", "price_not_read", "lost_entry_not_written", "lost_entry_not_priced", "unreadable_lost_entry", "entry_recovered"]
| sort @timestamp desc
| limit 200`,
    },
    {
      name: 'counting',
      logGroups: eventSourceFunctions(resources).map(({ logGroup }) => logGroup),
      text: `
# Invocations by streams and queues, by 5 minutes: their results, how long they took, and their errors.
fields coalesce(event, record.status) as result, coalesce(error, record.errorType) as error_name, coalesce(request_id, record.requestId) as invocation_id
| filter type = "platform.report" or level = "ERROR"
| stats count(*) as lines, max(record.metrics.durationMs) as max_duration_ms, latest(error_name) as latest_error, latest(call) as latest_call, latest(at) as latest_at, latest(invocation_id) as latest_request_id by bin(5m) as period, result, @log
| sort period desc
| limit 200`,
    },
    {
      name: 'recovery',
      logGroups: [recoverRequests.logGroup, verifyRollups.logGroup],
      text: `
# Runs of the functions that recover requests and verify rollups, and what they found.
fields @timestamp, event, complete, from, to, lines_read, restored, interrupted, already_present, running, waiting, unreadable, queued_entries, dead_letters, day, organizations, differences, postponed, unverified, organization_id, row_count, reason, error, code, call, at, record.status, record.metrics.durationMs
| filter event in ["requests_recovered", "rollups_verified", "rollups_verification_continues", "rollup_difference"] or level = "ERROR" or (type = "platform.report" and record.status != "success")
| sort @timestamp desc
| limit 200`,
    },
    ...canaryQueries(resources),
  ];
}

function canaryQueries({ canary }: MonitoredResources): SavedQuery[] {
  if (canary === null) return [];
  return [
    {
      name: 'canary',
      logGroups: [canary.logGroup],
      text: `
# Runs of the canary, and the check that failed.
fields @timestamp, level, event, endpoint, check, error, duration_ms, record.status
| filter event = "canary_run" or level = "ERROR" or (type = "platform.report" and record.status != "success")
| sort @timestamp desc
| limit 200`,
    },
  ];
}
