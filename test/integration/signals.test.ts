/**
 * Runs the bundles through successes, failures, rejections, kills and throttling, then compares what they printed with the
 * alarms, the CloudWatch dashboard and the saved queries.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type MetricName, metricNamespace, metrics } from '#lambdas/platform/telemetry/metrics.ts';
import type { Route } from '#lambdas/routing/route.ts';
import type { ProviderBehaviour } from '#test/faults/support/counting-provider.ts';
import {
  overloadFirstAttempt,
  resetBeforeResponse,
  respondNormally,
  stallBeforeResponse,
  stallMidResponse,
  truncateResponse,
} from '#test/faults/support/provider-behaviours.ts';
import type { Metric } from '#test/support/monitoring/metric-store.ts';
import { errorResponse } from '#test/support/providers/openai/error-response.ts';
import {
  buildChunk,
  deltaChunk,
  doneEvent,
  errorEvent,
  event,
} from '#test/support/providers/openai/events.ts';
import { jsonResponse, streamResponse } from '#test/support/providers/upstream-responses.ts';
import { type DashboardMetric, isSameMetric } from '#test/support/signals/dashboard-metrics.ts';
import { sendLostEntryMessage } from '#test/support/signals/lost-entry-message.ts';
import {
  chatConcurrency,
  type MonitoredGateway,
  startMonitoredGateway,
} from '#test/support/signals/monitored-gateway.ts';
import { skipEarlierRecovery } from '#test/support/signals/recovery-cursor.ts';
import { readAnchors } from '#test/support/signals/runbook-anchors.ts';
import { readTemplateSignals, type TemplateSignals } from '#test/support/signals/template-signals.ts';
import { entryWrites } from '../faults/support/fault-proxy.ts';

const minuteMs = 60_000;

let gateway: MonitoredGateway;
let signals: TemplateSignals;

beforeAll(async () => {
  gateway = await startMonitoredGateway();
  signals = readTemplateSignals(gateway.assemblyDirectory);
  await skipEarlierRecovery(gateway.gateway);
});
afterAll(() => gateway[Symbol.asyncDispose]());

async function withBehaviour(behaviour: ProviderBehaviour, work: () => Promise<unknown>): Promise<void> {
  gateway.provider.behaviour = behaviour;
  await work();
  gateway.provider.behaviour = respondNormally;
}

describe('Traffic', () => {
  it('completes requests at both endpoints, also without a known price', async () => {
    for (const endpoint of ['function_url', 'rest_api'] as const)
      for (const stream of [false, true]) expect(await gateway.chat({ endpoint, stream })).toBe(200);
    const model = 'brand-new';
    const newModel: ProviderBehaviour = ({ usage }) =>
      streamResponse([
        event({ ...deltaChunk({ content: 'Hi' }, 'stop'), model }),
        event(buildChunk({ model, usage })),
        doneEvent,
      ]);
    await withBehaviour(newModel, () => gateway.chat({ stream: true, model: `openai/${model}` }));
    const vectors: ProviderBehaviour = () =>
      jsonResponse({
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: [1] }],
        model: 'text-embedding-3-small',
        usage: { prompt_tokens: 1, total_tokens: 1 },
      });
    const embeddings = { model: 'openai/text-embedding-3-small', input: 'Hello', user: 'embeddings' };
    await withBehaviour(vectors, async () => {
      const request = { path: '/ai/embeddings', body: JSON.stringify(embeddings) };
      expect(await gateway.chat(request)).toBe(200);
    });
    const message: ProviderBehaviour = () =>
      jsonResponse({
        type: 'message',
        model: 'gpt-4o',
        content: [{ type: 'text', text: 'Hi' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 1, output_tokens: 1 },
      });
    await withBehaviour(message, async () => {
      expect(await gateway.chat({ path: '/ai/messages' })).toBe(200);
    });
    const response: ProviderBehaviour = () =>
      jsonResponse({
        id: 'resp_1',
        object: 'response',
        status: 'completed',
        model: 'gpt-4o',
        output: [
          { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
        ],
        usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      });
    const question = { model: 'openai/gpt-4o', input: 'Hello', user: 'responses' };
    await withBehaviour(response, async () => {
      expect(await gateway.chat({ path: '/ai/responses', body: JSON.stringify(question) })).toBe(200);
    });
  });

  it('reaches providers that fail, and callers that disconnect', async () => {
    const failures: [ProviderBehaviour, boolean][] = [
      [resetBeforeResponse, false],
      [() => errorResponse(500), false],
      [() => errorResponse(400), false],
      [() => errorResponse(429), false],
      [overloadFirstAttempt, true],
      [truncateResponse, true],
      [() => jsonResponse('<html>'), false],
      [() => streamResponse([event(deltaChunk({ content: 'Hi' })), errorEvent({ message: 'failed' })]), true],
    ];
    for (const [behaviour, stream] of failures)
      await withBehaviour(behaviour, () => gateway.chat({ stream }));
    await withBehaviour(stallMidResponse, async () => {
      const disconnected = new AbortController();
      const response = gateway.chat({ stream: true, signal: disconnected.signal });
      await expect.poll(() => gateway.provider.inFlight()).toBe(1);
      disconnected.abort();
      await response;
      await expect.poll(() => gateway.linesOf('request_completed').at(-1)?.outcome).toBe('client_closed');
    });
  });

  it('rejects requests', async () => {
    const unknownKey = `${gateway.gateway.apiKey.slice(0, -6)}AAAAAA`;
    expect(await gateway.chat({ body: '{' })).toBe(400);
    expect(await gateway.chat({ apiKey: unknownKey })).toBe(401);
    expect(await gateway.chat({ apiKey: 'malformed', endpoint: 'rest_api' })).toBe(401);
    const reports = await fetch(`${gateway.gateway.baseUrl}/api/logs?limit=x`, {
      headers: { authorization: `Bearer ${gateway.gateway.apiKey}` },
    });
    expect(reports.status).toBe(400);
    // More than the method's burst limit. The clock stands still, so that no tokens are added while a slow machine sends them.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    onTestFinished(() => clock.mockRestore());
    const statuses = await gateway.chatTimes(3 * chatConcurrency, {
      endpoint: 'rest_api',
      apiKey: unknownKey,
    });
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
  });

  it('times out, and throttles requests at the concurrency limit of chat', async () => {
    // The requests that wait for the provider take all of the chat function's concurrency.
    await withBehaviour(stallBeforeResponse, async () => {
      const waiting = gateway.chatTimes(chatConcurrency);
      await expect.poll(() => gateway.provider.inFlight()).toBe(chatConcurrency);
      expect(await gateway.chat()).toBe(429);
      expect(new Set(await waiting)).toEqual(new Set([504]));
    });
  });

  it('writes log entries to the queue and to the log while the table refuses them', async () => {
    const { dynamoDb, sqs } = gateway;
    await expect.poll(gateway.isIdle).toBe(true);
    await dynamoDb.setFault({ kind: 'throttled', operations: ['GetItem'] });
    expect(await gateway.chat({ apiKey: `${gateway.gateway.apiKey.slice(0, -6)}BBBBBB` })).toBe(503);
    await dynamoDb.setFault({ kind: 'throttled', operations: entryWrites });
    expect(await gateway.chat()).toBe(200);
    await expect.poll(() => gateway.linesOf('lost_entry_not_written')).not.toEqual([]);
    await sqs.setFault({ kind: 'reset', operations: ['SendMessage'] });
    expect(await gateway.chat()).toBe(200);
    await expect.poll(() => gateway.linesOf('log_entry_not_written')).toHaveLength(1);
    await sqs.setFault(null);
    await dynamoDb.setFault(null);
  });

  it('kills the chat function during a request', async () => {
    await withBehaviour(stallBeforeResponse, async () => {
      const killed = gateway.chat();
      await expect.poll(() => gateway.provider.inFlight()).toBe(1);
      gateway.kill('Chat');
      expect(await killed).toBe(502);
    });
    expect(await gateway.chat()).toBe(200);
  });

  it('refuses requests beyond a rate limit, and admits them while it cannot be checked', async () => {
    const { operator, dynamoDb } = gateway;
    const limits = { keyRateLimits: { requests_per_minute: 1 } };
    const [limited, unchecked] = [
      await operator.createOrganization(limits),
      await operator.createOrganization(limits),
    ];
    expect(await gateway.chat({ apiKey: limited.apiKey })).toBe(200);
    // Ten have a line each, and the next line stands for fifty.
    // On a busy machine, the write can take longer than a request waits for it: it is admitted then.
    let refused = 0;
    for (let request = 1; refused < 60 && request <= 120; request++)
      if ((await gateway.chat({ apiKey: limited.apiKey })) === 429) refused++;
    expect(refused).toBe(60);
    await dynamoDb.setFault({ kind: 'throttled', operations: ['UpdateItem'] });
    expect(await gateway.chat({ apiKey: unchecked.apiKey })).toBe(200);
    await dynamoDb.setFault(null);
  });

  it('sends requests to routes to another target when one fails, until none is left', async () => {
    const targets = (...models: [string, string]) => {
      const [first, second] = models.map((model) => ({ model: `openai/${model}` }));
      return { strategy: 'order', targets: [first, second] } as Route;
    };
    const { setRoute } = gateway.operator;
    await setRoute(null, 'misconfigured', targets('gpt-4o', 'gpt-4o-mini'));
    await setRoute(null, 'failing', targets('gpt-4.1', 'gpt-4.1-mini'));
    const refuseFirst: ProviderBehaviour = (call) =>
      call.attempt === 1 ? errorResponse(401) : respondNormally(call);
    await withBehaviour(refuseFirst, async () => {
      expect(await gateway.chat({ model: 'route/misconfigured' })).toBe(200);
    });
    await withBehaviour(
      () => errorResponse(500),
      async () => {
        expect(await gateway.chat({ model: 'route/failing' })).toBe(502);
      },
    );
    const targetsOf = (event: string) =>
      gateway.linesOf(event).map(({ target, attempt }) => [target, attempt]);
    await expect.poll(() => targetsOf('target_misconfigured')).toEqual([['openai/gpt-4o', 1]]);
    await expect.poll(() => targetsOf('no_target_left')).toEqual([['openai/gpt-4.1-mini', 2]]);
  });

  it('recovers requests, verifies rollups and runs the canary', async () => {
    const queue = gateway.gateway.connection.outputs.LostEntriesQueueUrl ?? '';
    await expect.poll(() => gateway.operator.queueLength(queue)).toBe(0);
    const run = (rule: string, atMs: number) => gateway.gateway.runSchedule(rule, new Date(atMs));
    // The requests of this test are old enough by then.
    await run('MaintenanceRecoverRequestsSchedule', Date.now() + 17 * minuteMs);
    // Sums that are being written are checked again after five minutes.
    await expect.poll(gateway.isCounted).toBe(true);
    await run('MaintenanceVerifyRollupsSchedule', Date.now());
    await run('CanarySchedule', Date.now());
    await sendLostEntryMessage(gateway.gateway, '{}');
    await expect.poll(() => gateway.linesOf('unreadable_lost_entry')).toHaveLength(1);
    await run('MaintenanceRecoverRequestsSchedule', Date.now() + 18 * minuteMs);
  });
});

describe('The signals of the bundles', () => {
  it('publish every metric that an alarm or the dashboard uses', async () => {
    const used = [...(await alarmMetrics()), ...signals.dashboardMetrics].filter(isOwn);
    const published = used.filter(({ name }) => !lateMetrics.includes(name));
    const missing = () => published.filter((metric) => !isRecorded(metric)).map(({ name }) => name);

    expect(new Set(used.map(({ name }) => name)).size).toBeGreaterThanOrEqual(25);
    await expect.poll(missing).toEqual([]);
  });

  it('have the units and dimensions of their definition', () => {
    const wrong = gateway.monitor.store
      .recorded()
      .filter(({ metric }) => metric.namespace === metricNamespace)
      .filter(({ metric, unit }) => unit !== metrics[metric.name as MetricName]?.unit);

    expect(wrong).toEqual([]);
    expect(gateway.monitor.invalidLines).toEqual([]);
  });

  it('come with the metrics of AWS that alarms use', async () => {
    const unused = (await alarmMetrics()).filter((metric) => !isOwn(metric) && !isRecorded(metric));

    // Some functions were not invoked, some tables and all indexes not throttled.
    const expected = new Set(['Errors', 'ReadThrottleEvents', 'WriteThrottleEvents']);
    expect(unused.filter(({ name }) => !expected.has(name))).toEqual([]);
    for (const name of expected)
      expect(gateway.monitor.store.recorded().map(({ metric }) => metric.name)).toContain(name);
  });

  it('have every field that a saved query reads, in the lines that it selects', async () => {
    await expect.poll(gateway.isIdle).toBe(true);

    expect(signals.savedQueries).toHaveLength(16);
    expect(signals.savedQueries.flatMap(missingFields)).toEqual([]);
  });

  it('tell killed invocations from others in the lines of Lambda', async () => {
    const results = () =>
      new Set(
        gateway.lines
          .filter(
            ({ functionName, fields }) =>
              functionName === 'ChatFunction' && fields.type === 'platform.report',
          )
          .map(({ fields }) => JSON.stringify((fields.record as { status: string }).status)),
      );

    await expect.poll(results).toEqual(new Set(['"success"', '"error"']));
  });
});

describe('Every alarm', () => {
  it('names an entry of the runbook', async () => {
    const alarms = await gateway.alarms();
    const projectDirectory = resolve(import.meta.dirname, '../..');
    const broken = alarms.filter(({ id, runbook }) => {
      const [file = '', anchor = ''] = runbook.split('#');
      return anchor !== id || !readAnchors(readFileSync(resolve(projectDirectory, file), 'utf8')).has(anchor);
    });

    expect(broken.map(({ runbook }) => runbook)).toEqual([]);
  });
});

async function alarmMetrics(): Promise<Metric[]> {
  return (await gateway.alarms()).flatMap(({ definitions }) =>
    [...definitions.values()].flatMap((definition) => ('metric' in definition ? [definition.metric] : [])),
  );
}

function isOwn({ namespace }: DashboardMetric): boolean {
  return namespace === metricNamespace;
}

function isRecorded(used: DashboardMetric): boolean {
  return gateway.monitor.store.recorded().some(({ metric }) => isSameMetric(used, metric));
}

/** From a check of the rollups whose pauses take five minutes. */
const lateMetrics = ['RollupDifferences'];
const otherFields = [
  // From the same check.
  ...['organization_id', 'row_count', 'postponed', 'reason', 'error', 'code', 'call', 'at'].map(
    (field) => `AiGateway/recovery: ${field}`,
  ),
  // A function that a stream invokes is not killed here.
  'AiGateway/counting: record.errorType',
];

function missingFields({
  name,
  fields,
  selects,
  functionNames,
  readsAccessLog,
}: TemplateSignals['savedQueries'][number]): string[] {
  const lines = gateway.lines.filter(
    (line) => functionNames.includes(line.functionName) && selects(line.fields),
  );
  const known = readsAccessLog ? signals.accessLogFields : [];
  return fields
    .filter(
      (field) => !known.includes(field) && !lines.some((line) => hasField(line.fields, field.split('.'))),
    )
    .map((field) => `${name}: ${field}`)
    .filter((missing) => !otherFields.includes(missing));
}

function hasField(value: unknown, [first, ...rest]: string[]): boolean {
  if (first === undefined) return true;
  return typeof value === 'object' && value !== null && first in value
    ? hasField((value as Record<string, unknown>)[first], rest)
    : false;
}
