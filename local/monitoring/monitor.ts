/** The signals of the local run: metrics of functions and of AWS, totals of requests, and the states of the alarms. */
import { hourMs, minuteMs } from '#lambdas/platform/duration.ts';
import { type MetricName, metricNamespace } from '#lambdas/platform/telemetry/metrics.ts';
import { messageOf } from '../local-gateway-error.ts';
import type { LocalStack } from '../template/local-stack.ts';
import { isObject, type JsonObject, parseJson } from '../untyped-json.ts';
import { type Alarm, readAlarms } from './alarms/alarm.ts';
import { type AlarmState, type Evaluation, evaluateAlarm, evaluationRangeMs } from './alarms/evaluate.ts';
import { type AwsMetrics, createAwsMetrics } from './aws-metrics.ts';
import { readEmbeddedMetrics } from './embedded-metrics.ts';
import { createMetricStore, type MetricStore } from './metric-store.ts';
import { createRequestTotals, type Totals } from './totals.ts';

export interface Monitor {
  metrics: AwsMetrics;
  store: MetricStore;
  /** Reads the metrics in a log line of a function. */
  readLine(functionName: string, line: string): void;
  /** Adds work that is done before a report, such as a sample of the queues. */
  beforeReport(work: (nowMs: number) => Promise<void> | void): void;
  /** `nowMs` replaces the time for which alarms are evaluated. */
  report(nowMs?: number): Promise<MonitoringReport>;
}

export interface MonitoringReport {
  startMs: number;
  nowMs: number;
  lastHour: Totals;
  sinceStart: Totals;
  /** Log entries in the rollups of requests of the last hour that reached a provider; `null` for none. */
  countedInLastHour: number | null;
  /** The most messages in all queues within the current minute. */
  queuedMessages: number;
  alarms: (Alarm & Evaluation)[];
}

/** Throws when the template has an alarm that the local run cannot evaluate. */
export function createMonitor(settings: {
  stack: Pick<LocalStack, 'template' | 'resolve'>;
  log: (line: string) => void;
  now?: () => number;
}): Monitor {
  const { stack, log, now = () => Date.now() } = settings;
  const alarms = readAlarms(stack);
  const store = createMetricStore({
    startMs: now(),
    retentionMs: Math.max(hourMs, ...alarms.map(evaluationRangeMs)),
    percentileMetrics: new Set(alarms.flatMap(percentileMetricsOf)),
  });
  const totals = createRequestTotals();
  const states = new Map<string, AlarmState>();
  const preparations: ((nowMs: number) => Promise<void> | void)[] = [];
  return {
    store,
    metrics: createAwsMetrics(store.record, now),
    readLine(functionName, line) {
      try {
        for (const measurement of readEmbeddedMetrics(line)) store.record(measurement);
      } catch (error) {
        log(`${functionName}: ${messageOf(error)}`);
      }
      const request = parseRequestLine(line);
      if (request !== null) totals.add(request);
    },
    beforeReport: (work) => {
      preparations.push(work);
    },
    async report(nowMs = now()) {
      for (const prepare of preparations) await prepare(nowMs);
      const evaluated = alarms.map((alarm) => {
        const current = states.get(alarm.name) ?? 'INSUFFICIENT_DATA';
        const evaluation = evaluateAlarm(alarm, store, { nowMs, current });
        states.set(alarm.name, evaluation.state);
        return { ...alarm, ...evaluation };
      });
      return {
        startMs: store.startMs,
        nowMs,
        lastHour: totals.lastHour(nowMs),
        sinceStart: totals.sinceStart(),
        countedInLastHour: readCounted(store, stack.template.stackName, nowMs),
        queuedMessages: readQueuedMessages(store, nowMs),
        alarms: evaluated,
      };
    },
  };
}

function percentileMetricsOf({ definitions }: Alarm): string[] {
  return [...definitions.values()].flatMap((definition) =>
    'metric' in definition && definition.statistic.startsWith('p') ? [definition.metric.name] : [],
  );
}

const requestEvents = /"event":"(?:request_forwarded|request_completed|entry_recovered)"/;

function parseRequestLine(line: string): JsonObject | null {
  if (!requestEvents.test(line)) return null;
  const parsed = parseJson(line);
  return isObject(parsed) ? parsed : null;
}

function readCounted(store: MetricStore, stackName: string, nowMs: number): number | null {
  const name: MetricName = 'Requests';
  const metric = { namespace: metricNamespace, name, dimensions: { Stack: stackName } };
  const endMs = endOfMinute(nowMs);
  return store.read({ metric, statistic: 'Sum' }, { startMs: endMs - hourMs, endMs });
}

function readQueuedMessages(store: MetricStore, nowMs: number): number {
  const endMs = endOfMinute(nowMs);
  const queues = store.recorded().filter(({ metric }) => metric.namespace === 'AWS/SQS');
  return queues.reduce((sum, { metric }) => {
    const messages = store.read({ metric, statistic: 'Maximum' }, { startMs: endMs - minuteMs, endMs });
    return sum + (messages ?? 0);
  }, 0);
}

function endOfMinute(nowMs: number): number {
  return Math.ceil(nowMs / minuteMs) * minuteMs;
}
