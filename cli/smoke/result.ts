import type { EventTimes } from '#lambdas/canary/checks/event-times.ts';
import type { CheckName, CheckResult } from '#lambdas/canary/checks/run-checks.ts';

const endpointNames = { rest_api: 'REST API', function_url: 'function URL' };

const descriptions: Record<CheckName, string> = {
  unknown_key_refused: 'refuses an unknown key',
  deleted_key_refused: 'refuses a deleted key',
  unknown_model_refused: 'refuses an unknown model',
  events_on_time: 'passes events on as they are written',
  embeddings_created: 'creates embeddings',
  completion_streamed: 'streams a completion',
  entry_found: 'returns its log entry with tokens and cost',
  entry_listed: 'lists the log entry',
  cost_counted: 'includes it in the costs',
};

export function resultLine({ endpoint, check, durationMs, error, eventTimes }: CheckResult): string {
  const columns = [
    error === null ? 'ok    ' : 'FAILED',
    endpointNames[endpoint].padEnd(12),
    descriptions[check],
  ];
  const times = eventTimes === null ? '' : `, ${describeTimes(eventTimes)}`;
  return `${columns.join('  ')} (${durationMs} ms${times})${error === null ? '' : `: ${error}`}`;
}

function describeTimes({ kind, ms }: EventTimes): string {
  if (kind === 'lateness') return `lateness of the events: ${ms.join(' ')} ms`;
  return `longest gap of ${ms.length + 1} events: ${Math.max(0, ...ms)} ms`;
}

export function summaryLine(results: readonly CheckResult[]): string {
  const failed = results.filter(({ error }) => error !== null).length;
  if (failed === 0) return `All ${results.length} checks passed`;
  return `${failed} of ${results.length} checks failed`;
}

export function resultJson(results: readonly CheckResult[]) {
  return {
    ok: results.every(({ error }) => error === null),
    checks: results.map(({ endpoint, check, durationMs, error, eventTimes }) => ({
      endpoint,
      check,
      ok: error === null,
      duration_ms: durationMs,
      error,
      ...(eventTimes !== null && { [`event_${eventTimes.kind}_ms`]: eventTimes.ms }),
    })),
  };
}
