/** Renders the signals of the local run, as JSON or as a page without scripts. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Monitor, MonitoringReport } from './monitor.ts';
import type { Totals } from './totals.ts';

export const metricsPath = '/_local/metrics';

/** Serves the page, and passes other requests on. */
export function withMetricsPage(
  next: RequestListener,
  monitor: Pick<Monitor, 'report'>,
  onError: (message: string) => void,
): RequestListener {
  return (request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== metricsPath)
      return next(request, response);
    sendReport(request, response, monitor).catch((error) => {
      onError(`${metricsPath}: ${error}`);
      response.writeHead(500).end();
    });
  };
}

async function sendReport(
  request: IncomingMessage,
  response: ServerResponse,
  monitor: Pick<Monitor, 'report'>,
): Promise<void> {
  const report = await monitor.report();
  const isJson = /\bapplication\/json\b/.test(request.headers.accept ?? '');
  response.writeHead(200, {
    'content-type': isJson ? 'application/json' : 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  });
  response.end(isJson ? JSON.stringify(reportJson(report)) : reportPage(report));
}

function reportJson(report: MonitoringReport): object {
  const { startMs, nowMs, lastHour, sinceStart } = report;
  return {
    time: new Date(nowMs).toISOString(),
    started: new Date(startMs).toISOString(),
    totals: { last_hour: requestTotalsJson(lastHour), since_start: requestTotalsJson(sinceStart) },
    completeness: {
      all_counted: uncountedOf(report) === 0,
      ...Object.fromEntries(completenessOf(report).map(({ name, value }) => [name, value])),
    },
  };
}

function requestTotalsJson({ requests, errors, inputTokens, outputTokens, costUsd }: Totals): object {
  return {
    requests,
    errors,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cost_usd: Number(costUsd.toFixed(10)),
  };
}

/** Requests of the last hour that were sent to a provider but are in no rollup yet. */
function uncountedOf({ lastHour }: MonitoringReport): number {
  return Math.max(0, lastHour.sent - lastHour.counted);
}

function completenessText(report: MonitoringReport): string {
  const uncounted = uncountedOf(report);
  if (uncounted === 0) return 'Yes.';
  return `Not yet: ${formatNumber(uncounted)} of ${formatNumber(report.lastHour.sent)} are running, were killed, or wait to be counted.`;
}

/** Shows the requests of the last hour that were sent to a provider. */
function completenessOf({ lastHour, queuedMessages }: MonitoringReport) {
  return [
    { name: 'sent', title: 'Sent to a provider', value: lastHour.sent },
    { name: 'ended', title: 'Ended', value: lastHour.ended },
    { name: 'counted', title: 'Counted', value: lastHour.counted },
    { name: 'queued_messages', title: 'Messages in queues', value: queuedMessages },
    { name: 'killed', title: 'Killed, found by the recovery', value: lastHour.killed },
    { name: 'unpriced', title: 'Without a price', value: lastHour.unpriced },
  ];
}

const style = `
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
  body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; padding: .35rem .8rem .35rem 0; border-bottom: 1px solid #8884; vertical-align: top; }
  td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
  small { opacity: .75; }`;

function reportPage(report: MonitoringReport): string {
  const { startMs, nowMs, lastHour, sinceStart } = report;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="5">
<meta name="viewport" content="width=device-width">
<title>Metrics · AI gateway</title>
<style>${style}
</style>
</head>
<body>
<h1>Metrics of the AI gateway</h1>
<p><small>${clock(nowMs)}, started at ${clock(startMs)} · This page of the local run is not part of a deployment.</small></p>
<h2>Requests</h2>
<table>
<thead><tr><th></th><th class="number">Requests</th><th class="number">Errors</th><th class="number">Input tokens</th><th class="number">Output tokens</th><th class="number">Cost</th></tr></thead>
<tbody>
${totalsRow('Last hour', lastHour)}
${totalsRow('Since the start', sinceStart)}
</tbody>
</table>
<p><small>Requests that have ended, with the costs of that time. Refused ones cost nothing, and are not in the totals of /api/costs.</small></p>
<h2>Is every request of the last hour counted?</h2>
<p>${completenessText(report)}</p>
${completenessTable(report)}
</body>
</html>
`;
}

function totalsRow(title: string, totals: Totals): string {
  const cells = [totals.requests, totals.errors, totals.inputTokens, totals.outputTokens].map(
    (value) => `<td class="number">${formatNumber(value)}</td>`,
  );
  return `<tr><th>${title}</th>${cells.join('')}<td class="number">$${totals.costUsd.toFixed(6)}</td></tr>`;
}

function completenessTable(report: MonitoringReport): string {
  const cells = completenessOf(report);
  return `<table>
<thead><tr>${cells.map(({ title }) => `<th class="number">${title}</th>`).join('')}</tr></thead>
<tbody><tr>${cells.map(({ value }) => `<td class="number">${formatNumber(value)}</td>`).join('')}</tr></tbody>
</table>`;
}

function formatNumber(value: number): string {
  return value.toLocaleString('en');
}

function clock(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 8);
}
