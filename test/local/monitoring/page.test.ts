/** The page of a local gateway with one alarm, whose metric the probe function prints. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMetricFields } from '#lambdas/platform/telemetry/metrics.ts';
import { unitOf } from '#local/monitoring/alarm-unit.ts';
import { createMonitor } from '#local/monitoring/monitor.ts';
import { reportJson, reportPage } from '#local/monitoring/page.ts';
import { type GatewayFixture, probe, startGatewayFixture } from '../gateway-fixture.ts';
import { createStackFixture } from '../stack-fixture.ts';
import { alarmResources, readAlarmFixture } from './alarms/alarm-fixture.ts';

const nowMs = Date.parse('2026-06-01T12:00:30Z');
const timestamp = new Date(nowMs).toISOString();
const request = { timestamp, level: 'INFO', event: 'request_completed', status: 200 };

function createMonitorFixture(lines: readonly object[]) {
  const logged: string[] = [];
  const monitor = createMonitor({
    stack: createStackFixture(alarmResources({ AlarmDescription: '<b> & more. Runbook: docs/runbook.md#a' })),
    log: (line) => logged.push(line),
    now: () => nowMs,
  });
  for (const line of lines) monitor.readLine('Chat', JSON.stringify(line));
  return { monitor, logged };
}

describe('createMonitor', () => {
  it('reports totals of requests and the states of the alarms', async () => {
    const metricFields = createMetricFields({ level: 'alarms', stackName: 'Fixture' });
    const { monitor } = createMonitorFixture([
      { ...request, event: 'request_forwarded' },
      { ...request, event: 'request_forwarded' },
      { ...request, outcome: 'completed', input_tokens: 10, output_tokens: 5, cost_usd: 0.25 },
      { ...request, outcome: 'completed', pricing: 'unknown' },
      { ...request, outcome: 'rejected', pricing: 'unknown', timestamp: '2026-06-01T11:00:30Z' },
      { ...request, event: 'entry_recovered', outcome: 'interrupted' },
      { ...request, event: 'entry_recovered', outcome: 'completed' },
      { event: 'request_metrics', ...metricFields({ Requests: 3 }, { atMs: nowMs }) },
      { ...request, status: 502, error_code: 'provider_error', timestamp: '2026-06-01T11:00:30Z' },
      { event: 'unexpected_error', ...metricFields({ InternalErrors: 2 }, { atMs: nowMs }) },
    ]);
    for (const [queue, visibleMessages] of [
      ['LostEntries', 5],
      ['DeadLetters', 1],
    ] as const)
      monitor.metrics.queueSampled(queue, {
        atMs: nowMs - 1,
        visibleMessages,
        hiddenMessages: Number(visibleMessages === 1),
      });

    expect(reportJson(await monitor.report())).toEqual({
      time: '2026-06-01T12:00:30.000Z',
      started: '2026-06-01T12:00:30.000Z',
      totals: {
        last_hour: { requests: 2, errors: 0, input_tokens: 10, output_tokens: 5, cost_usd: 0.25 },
        since_start: { requests: 4, errors: 1, input_tokens: 10, output_tokens: 5, cost_usd: 0.25 },
      },
      completeness: {
        all_counted: true,
        sent: 2,
        ended: 2,
        counted: 3,
        queued_messages: 7,
        killed: 1,
        unpriced: 1,
      },
      alarms: [
        {
          id: 'internal-errors',
          severity: 'page',
          state: 'ALARM',
          value: 2,
          unit: '',
          comparison: '≥',
          threshold: 1,
          description: '<b> & more.',
          runbook: 'docs/runbook.md#a',
        },
      ],
    });
    const page = reportPage(await monitor.report());
    expect(page).toContain('<title>1 alarm · AI gateway</title>');
    expect(page).toContain(
      '<td class="ALARM">Alarm</td>\n<td>internal-errors<br><small>&#60;b&#62; &#38; more.',
    );
    expect(page).not.toContain('<script');
  });

  it('reports embedded metrics that violate the specification', () => {
    const { logged } = createMonitorFixture([{ _aws: { Timestamp: nowMs } }]);

    expect(logged).toEqual(['Chat: Invalid embedded metrics: _aws.CloudWatchMetrics is missing']);
  });
});

describe('unitOf', () => {
  const unitOfMath = (Expression: string, MetricName: string) => {
    const Metric = { Namespace: 'AiGateway', MetricName, Dimensions: [{ Name: 'Stack', Value: 'Fixture' }] };
    const MetricStat = { Metric, Period: 300, Stat: 'Sum' };
    const Metrics = [
      { Id: 'expr', Expression },
      { Id: 'm', MetricStat, ReturnData: false },
    ];
    return unitOf(readAlarmFixture({ Metrics }));
  };

  it('is that of durations and percentages, and empty for counts', () => {
    expect(unitOfMath('FILL(m, 0)', 'InternalErrors')).toBe('');
    expect(unitOfMath('IF(m >= 10, 100 * m / m, 0)', 'ProviderErrors')).toBe('%');
    expect(unitOfMath('FILL(m, 0)', 'GatewayOverhead')).toBe('ms');
    expect(unitOfMath('FILL(m, 0)', 'RollupLag')).toBe('s');
  });
});

describe('The metrics page', () => {
  let gateway: GatewayFixture;
  beforeAll(async () => {
    const alarm = alarmResources({
      AlarmName: 'Fixture-page-chat-errors',
      Namespace: 'AWS/Lambda',
      MetricName: 'Errors',
      Dimensions: [{ Name: 'FunctionName', Value: { Ref: 'Probe' } }],
    });
    gateway = await startGatewayFixture({ resources: alarm });
  });
  afterAll(() => gateway.stop());

  const get = (accept: string) => fetch(`${gateway.baseUrl}/_local/metrics?any`, { headers: { accept } });
  const states = async () => {
    const { alarms } = (await (await get('application/json')).json()) as ReturnType<typeof reportJson> & {
      alarms: { id: string; state: string; value: number | null }[];
    };
    return alarms.map(({ id, state, value }) => [id, state, value]);
  };

  it('shows the state of each alarm, as JSON or as a page that refreshes itself', async () => {
    const before = await states();
    await probe(gateway.chatUrl, 'crash');
    await expect.poll(states).toEqual([['chat-errors', 'ALARM', 1]]);
    const page = await get('text/html');
    const html = await page.text();

    expect(before).toEqual([['chat-errors', 'OK', null]]);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(html).toContain('<meta http-equiv="refresh" content="5">');
    expect(html).toContain('chat-errors');
    expect(gateway.logLines.join('\n')).not.toContain('_local');
  });

  it('is not part of the function URL, and accepts no other method', async () => {
    const byFunctionUrl = await fetch(`${gateway.chatUrl}/_local/metrics`, {
      headers: { 'x-do': 'process' },
    });
    const byPost = await fetch(`${gateway.baseUrl}/_local/metrics`, { method: 'POST' });

    expect(Object.keys((await byFunctionUrl.json()) as object)).toEqual(['processId']);
    expect(byPost.status).toBe(404);
  });
});
