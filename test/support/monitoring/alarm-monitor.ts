/** Collects the metrics of a local gateway, and evaluates the alarms of its template. */
import type { LocalGateway } from '#local/local-gateway.ts';
import { messageOf } from '#local/local-gateway-error.ts';
import type { ServiceEvent } from '#local/service-event.ts';
import { type Alarm, readAlarms } from './alarm.ts';
import { awsMetricsOf } from './aws-metrics.ts';
import { readEmbeddedMetrics } from './embedded-metrics.ts';
import { type AlarmState, type Evaluation, evaluateAlarm } from './evaluate-alarm.ts';
import { createMetricStore, type MetricStore } from './metric-store.ts';

export interface AlarmMonitor {
  store: MetricStore;
  /** Why log lines with metrics violate the format. */
  invalidLines: readonly string[];
  /** The option of `startLocalGateway`. */
  onServiceEvent(event: ServiceEvent): void;
  evaluate(gateway: Pick<LocalGateway, 'monitor' | 'stack'>): Promise<(Alarm & Evaluation)[]>;
}

export function createAlarmMonitor(): AlarmMonitor {
  const store = createMetricStore(Date.now());
  const states = new Map<string, AlarmState>();
  const invalidLines: string[] = [];
  return {
    store,
    invalidLines,
    onServiceEvent(event) {
      for (const measurement of awsMetricsOf(event, Date.now())) store.record(measurement);
      if (event.kind !== 'line written') return;
      try {
        for (const measurement of readEmbeddedMetrics(event.line)) store.record(measurement);
      } catch (error) {
        invalidLines.push(`${event.functionName}: ${messageOf(error)}`);
      }
    },
    async evaluate({ monitor, stack }) {
      // Samples the queues, and reads the lines that have been written so far.
      await monitor.report();
      return readAlarms(stack).map((alarm) => {
        const current = states.get(alarm.name) ?? 'INSUFFICIENT_DATA';
        const evaluation = evaluateAlarm(alarm, store, { nowMs: Date.now(), current });
        states.set(alarm.name, evaluation.state);
        return { ...alarm, ...evaluation };
      });
    },
  };
}
