import { expect, it } from 'vitest';
import { createStackFixture } from '#test/local/stack-fixture.ts';
import { readAlarms } from '#test/support/monitoring/alarm.ts';
import { type AlarmState, evaluateAlarm } from '#test/support/monitoring/evaluate-alarm.ts';
import { createMetricStore } from '#test/support/monitoring/metric-store.ts';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const minuteMs = 60_000;
const startMs = Date.UTC(2026, 5, 1);
const everyMinutes = 15;

const { Resources } = synthesizeGateway({
  stackName: 'Fixture',
  canary: { everyMinutes },
}).template.toJSON() as Template;
const alarmAndTopic = Object.entries(Resources).filter(
  ([id, { Properties }]) =>
    id.startsWith('MonitoringAlarmTopic') || Properties?.AlarmName === 'Fixture-page-canary-failed',
);
const [alarm] = readAlarms(createStackFixture(Object.fromEntries(alarmAndTopic)));

interface Template {
  Resources: Record<string, { Properties?: { AlarmName?: string } }>;
}

interface Run {
  isFailed: boolean;
  /** From the start until its metric is there. */
  seconds: number;
}

/** The states of the alarm in each minute from the third run on. A run is `null` if it did not take place. */
function statesDuring(runs: readonly (Run | null)[]): Set<AlarmState> {
  if (alarm === undefined) throw new Error('The template has no alarm of the canary');
  const states = new Set<AlarmState>();
  for (let minute = 2 * everyMinutes + 5; minute < runs.length * everyMinutes; minute++) {
    const nowMs = startMs + minute * minuteMs;
    const store = createMetricStore(0);
    for (const [index, run] of runs.entries()) {
      const atMs = startMs + index * everyMinutes * minuteMs + (run?.seconds ?? 0) * 1000;
      if (run === null || atMs > nowMs) continue;
      const metric = { namespace: 'AiGateway', name: 'CanaryFailures', dimensions: { Stack: 'Fixture' } };
      store.record({ metric, unit: 'Count', values: [Number(run.isFailed)], atMs });
    }
    states.add(evaluateAlarm(alarm, store, { nowMs, current: 'OK' }).state);
  }
  return states;
}

const passed: Run = { isFailed: false, seconds: 10 };
const failed: Run = { isFailed: true, seconds: 70 };

it.each<[string, (Run | null)[]]>([
  ['fails after timeouts', [passed, passed, failed, passed, passed]],
  [
    'fails at once',
    [
      { ...passed, seconds: 65 },
      { ...passed, seconds: 65 },
      { ...failed, seconds: 1 },
      { ...passed, seconds: 65 },
      passed,
    ],
  ],
  ['does not take place', [passed, passed, null, passed, passed]],
])('The alarm of the canary is not raised if one run %s', (_, runs) => {
  expect(statesDuring(runs)).toEqual(new Set(['OK']));
});

it.each<[string, (Run | null)[]]>([
  ['fail', [passed, passed, failed, failed, failed]],
  ['do not take place', [passed, passed, null, null, null]],
])('The alarm of the canary is raised if runs in a row %s', (_, runs) => {
  expect(statesDuring(runs)).toEqual(new Set(['OK', 'ALARM']));
});
