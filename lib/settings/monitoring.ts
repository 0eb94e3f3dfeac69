/** The schemas of the settings of metrics, alarms, traces and the canary. */

import { z } from 'zod';
import { monitoringLevels } from '#lambdas/platform/telemetry/metrics.ts';
import { emailAddress } from './domains.ts';
import {
  type Issues,
  maxJsonBytes,
  messageWithInput,
  settingsObject,
  trueOrFalse,
  wholeNumber,
} from './validation.ts';

/** Bounds the number of custom metrics, each of which has a monthly price. */
const maxMetricModels = 20;

/** The other variables of the function use less than 1 KB. */
const maxMetricModelsBytes = 3_000;

const modelName = () =>
  z
    .string(messageWithInput('must be a model with its provider, such as openai/gpt-5.5'))
    .max(256)
    .regex(/^[a-z0-9-]+\/[\x21-\x7e]+$/);

/** The alarm covers two runs, and CloudWatch evaluates at most a day. */
const maxCanaryMinutes = 600;

const canary = settingsObject({
  model: modelName()
    .nullable()
    .default(null)
    .describe('Model of the request that each run sends. With null, a run checks only refusals.'),
  everyMinutes: wholeNumber(5, maxCanaryMinutes).default(15).describe('Minutes from one run to the next.'),
});

export const monitoringFields = {
  monitoring: z
    .enum(monitoringLevels, messageWithInput("must be 'off', 'alarms' or 'all'"))
    .default('alarms')
    .describe(
      "'alarms' deploys the most important alarms, saved queries and scheduled maintenance; 'all' also the other alarms, all metrics and a CloudWatch dashboard; 'off' none of them.",
    ),
  alarmEmail: emailAddress()
    .nullable()
    .default(null)
    .describe(
      'Address that receives the alarms, once it has confirmed the subscription. With null, subscribe to the SNS topic yourself.',
    ),
  metricModels: z
    .array(modelName(), messageWithInput('must be an array of models, such as ["openai/gpt-5.5"]'))
    .max(maxMetricModels, `must have at most ${maxMetricModels} models`)
    .check(maxJsonBytes(maxMetricModelsBytes))
    .default([])
    .describe(
      "Models with metrics of their own, each of which has a monthly price. Requires monitoring 'all'.",
    ),
  tracing: trueOrFalse()
    .default(false)
    .describe('Traces requests through API Gateway and the functions with X-Ray.'),
  canary: canary
    .nullable()
    .default(null)
    .describe('Checks both endpoints regularly, with an organization of its own. null for no canary.'),
};

interface MonitoringSettings {
  monitoring: (typeof monitoringLevels)[number];
  alarmEmail: string | null;
  metricModels: readonly string[];
  canary: object | null;
}

/** Settings that would have no effect are errors. */
export function checkMonitoring(
  { monitoring, alarmEmail, metricModels, canary: canarySettings }: MonitoringSettings,
  { addIssue }: Issues,
): void {
  const refuse = (name: string, message: string) => addIssue({ code: 'custom', path: [name], message });
  if (metricModels.length > 0 && monitoring !== 'all') refuse('metricModels', "requires monitoring: 'all'");
  if (monitoring !== 'off') return;
  if (alarmEmail !== null) refuse('alarmEmail', "requires monitoring: 'alarms' or 'all'");
  if (canarySettings !== null) refuse('canary', "requires monitoring: 'alarms' or 'all'");
}
