import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMetricFields } from '#lambdas/platform/telemetry/metrics.ts';
import { type HttpListener, openHttpListener } from '#local/listeners/http-listener.ts';
import { createMonitor, type Monitor } from '#local/monitoring/monitor.ts';
import { withMetricsPage } from '#local/monitoring/page.ts';
import { createRequestTotals } from '#local/monitoring/totals.ts';
import type { ServiceEvent } from '#local/service-event.ts';

const nowMs = Date.parse('2026-06-01T12:00:30Z');
const timestamp = new Date(nowMs).toISOString();
const metricFields = createMetricFields({ level: 'all', stackName: 'Fixture' });
const forwarded = { timestamp, event: 'request_forwarded' };
const completed = { timestamp, event: 'request_completed', status: 200, outcome: 'completed' };
const anHourAgo = '2026-06-01T11:00:30Z';
/** The first attempt of a request to a route, which was then sent to another target. */
const attempt = { ...completed, status: 503, outcome: 'provider_error', input_tokens: 3, cost_usd: 0.5 };
const lines = [
  forwarded,
  forwarded,
  { ...forwarded, attempt },
  { ...completed, input_tokens: 10, output_tokens: 5, cost_usd: 0.25 },
  { ...completed, pricing: 'unknown' },
  { ...completed, outcome: 'rejected', pricing: 'unknown', timestamp: anHourAgo },
  { ...completed, outcome: 'rejected', status: 429, refused_requests: 50, timestamp: anHourAgo },
  { ...completed, status: 502, error_code: 'provider_error', timestamp: anHourAgo },
  { timestamp, event: 'entry_recovered', outcome: 'interrupted' },
  { timestamp, event: 'entry_recovered', outcome: 'completed' },
  // Also by provider, which adds no requests.
  {
    timestamp,
    event: 'request_metrics',
    ...metricFields({ Requests: 1 }, { atMs: nowMs, provider: 'groq' }),
  },
  { timestamp, event: 'request_metrics', ...metricFields({ RollupLag: 1 }, { atMs: nowMs }) },
  // The metrics have the time of the requests, not of the line.
  { timestamp, event: 'request_metrics', ...metricFields({ Requests: 8 }, { atMs: Date.parse(anHourAgo) }) },
].map((line) => JSON.stringify(line));

const contents: Record<string, { visibleMessages: number; hiddenMessages: number } | null> = {
  LostEntries: { visibleMessages: 5, hiddenMessages: 0 },
  DeadLetters: { visibleMessages: 1, hiddenMessages: 1 },
  Unknown: null,
};
const queue = (name: string) => ({ name, arn: name, url: name, engineUrl: name, properties: {} });

const events: ServiceEvent[] = [];
let monitor: Monitor;
let listener: HttpListener;

beforeAll(async () => {
  const totals = createRequestTotals();
  monitor = createMonitor({
    totals,
    functions: { flushLogs: () => lines.splice(0).forEach(totals.readLine) },
    queues: {
      all: Object.keys(contents).map(queue),
      sample: async ({ name }) => contents[name] ?? null,
    },
    observe: (event) => events.push(event),
    now: () => nowMs,
  });
  listener = await openHttpListener(0);
  listener.serve(
    withMetricsPage(
      (_, response) => response.end('gateway'),
      monitor,
      () => {},
    ),
  );
});
afterAll(() => listener.close());

const get = (accept: string) => fetch(`${listener.origin}/_local/metrics?any`, { headers: { accept } });

describe('The metrics page', () => {
  it('has totals, and tells of the requests of the last hour whether they are counted', async () => {
    expect(await (await get('application/json')).json()).toEqual({
      time: '2026-06-01T12:00:30.000Z',
      started: '2026-06-01T12:00:30.000Z',
      totals: {
        last_hour: { requests: 2, errors: 0, input_tokens: 13, output_tokens: 5, cost_usd: 0.75 },
        since_start: { requests: 54, errors: 51, input_tokens: 13, output_tokens: 5, cost_usd: 0.75 },
      },
      completeness: {
        all_counted: false,
        sent: 3,
        ended: 3,
        counted: 1,
        queued_messages: 7,
        killed: 1,
        unpriced: 1,
      },
    });
    expect(events).toEqual([
      { kind: 'queue sampled', queueName: 'LostEntries', visibleMessages: 5, hiddenMessages: 0 },
      { kind: 'queue sampled', queueName: 'DeadLetters', visibleMessages: 1, hiddenMessages: 1 },
    ]);
  });

  it('is a page without scripts that refreshes itself', async () => {
    const page = await get('text/html');
    const html = await page.text();

    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(html).toContain('<meta http-equiv="refresh" content="5">');
    expect(html).toContain('Not yet: 2 of 3 are running, were killed, or wait to be counted.');
    expect(html).toContain('<td class="number">$0.750000</td>');
    expect(html).not.toContain('<script');
  });

  it('leaves other paths and methods to the gateway', async () => {
    const others = await Promise.all([
      fetch(`${listener.origin}/_local/metrics`, { method: 'POST' }),
      fetch(`${listener.origin}/_local/metrics/more`),
    ]);

    expect(await Promise.all(others.map((response) => response.text()))).toEqual(['gateway', 'gateway']);
  });
});
