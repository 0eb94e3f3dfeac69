/**
 * Computes the state of an alarm as CloudWatch does:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 *
 * The current minute counts, so that a state is shown at once. CloudWatch evaluates an alarm every minute, and a new one
 * from the end of its warm-up: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-warm-up.html
 */
import { minuteMs } from '#lambdas/platform/duration.ts';
import { type Alarm, comparisons } from './alarm.ts';
import { evaluateMetricMath } from './metric-math/evaluate.ts';
import type { MetricQuery, MetricStore, TimeWindow } from './metric-store.ts';

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

export interface Evaluation {
  state: AlarmState;
  /** The value of the latest period with data; `null` without data. */
  value: number | null;
}

/** CloudWatch does not publish how far it looks back; its examples evaluate three periods and look back over five. */
const extraPeriods = 2;

interface Datapoint {
  /** 0 for the latest period. */
  age: number;
  value: number;
  isBreaching: boolean;
  hasEnoughSamples: boolean;
}

/** The alarms are as old as the store. `current` is the state before, which an alarm may keep. */
export function evaluateAlarm(
  alarm: Alarm,
  store: MetricStore,
  { nowMs, current }: { nowMs: number; current: AlarmState },
): Evaluation {
  const endMs = Math.ceil(nowMs / minuteMs) * minuteMs;
  const windows = Array.from({ length: alarm.evaluationPeriods + extraPeriods }, (_, age) => ({
    startMs: endMs - (age + 1) * alarm.periodMs,
    endMs: endMs - age * alarm.periodMs,
  }));
  const datapoints = windows.flatMap((window, age) => readDatapoint(alarm, store, { window, age }));
  const [latest] = datapoints;
  const isWarmingUp = nowMs < store.startMs + alarm.warmUpMs;
  return {
    state: isWarmingUp ? 'INSUFFICIENT_DATA' : (stateOf(alarm, datapoints) ?? current),
    value: latest?.value ?? null,
  };
}

/** Returns `null` when the alarm keeps its state. `datapoints` begin with the latest. */
function stateOf(alarm: Alarm, datapoints: readonly Datapoint[]): AlarmState | null {
  const { evaluationPeriods, datapointsToAlarm, treatMissingData } = alarm;
  const evaluated = datapoints.slice(0, evaluationPeriods);
  if (alarm.ignoresLowSamples && evaluated.some(({ hasEnoughSamples }) => !hasEnoughSamples)) return null;
  const missing = evaluationPeriods - evaluated.length;
  const breaching = evaluated.filter(({ isBreaching }) => isBreaching).length;
  const filled = treatMissingData === 'breaching' ? missing : 0;
  if (breaching + filled >= datapointsToAlarm) return 'ALARM';
  const considersMissing = treatMissingData === 'missing' || treatMissingData === 'ignore';
  if (missing === 0 || !considersMissing) return 'OK';
  if (evaluated.length === 0) return treatMissingData === 'missing' ? 'INSUFFICIENT_DATA' : null;
  if (breaching < evaluated.length) return 'OK';
  if (treatMissingData === 'ignore') return null;
  // If there is only a breach, the alarm waits for as many periods as it requires.
  const oldestAge = evaluated.at(-1)?.age ?? 0;
  return oldestAge + 1 >= datapointsToAlarm ? 'ALARM' : 'INSUFFICIENT_DATA';
}

function readDatapoint(
  alarm: Alarm,
  store: MetricStore,
  { window, age }: { window: TimeWindow; age: number },
): Datapoint[] {
  const { definitions, comparison, threshold, root } = alarm;
  const read = (id: string): number | null => {
    const definition = definitions.get(id);
    if (definition === undefined) throw new Error(`${alarm.name} has no metric ${id}`);
    return 'kind' in definition ? evaluateMetricMath(definition, read) : store.read(definition, window);
  };
  const queries = [...definitions.values()].filter((definition) => 'metric' in definition);
  const value = evaluateMetricMath(root, read);
  if (value === null) return [];
  return [
    {
      age,
      value,
      isBreaching: comparisons[comparison](value, threshold),
      hasEnoughSamples: queries.every((query) => hasEnoughSamples(query, store, window)),
    },
  ];
}

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/percentiles-with-low-samples.html */
function hasEnoughSamples(query: MetricQuery, store: MetricStore, window: TimeWindow): boolean {
  if (!query.statistic.startsWith('p')) return true;
  const fraction = Number(query.statistic.slice(1)) / 100;
  const minSamples = 10 / Math.min(fraction, 1 - fraction);
  return store.sampleCount(query, window) >= Math.round(minSamples);
}
