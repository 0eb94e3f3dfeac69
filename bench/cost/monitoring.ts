/** The cost of each level of the setting `monitoring`, and of the canary, without requests. */
import { dollars, markdownTable } from '../harness/figures.ts';
import type { Template } from './deployment.ts';
import { idleRows, totalIdleUsd } from './idle.ts';
import { prices, toMicroDollars } from './prices.ts';
import { detailedMetricCount, metricCount, type PublishedLevel } from './schedules.ts';

/** The templates of stacks that differ only in these settings. */
export interface MonitoringTemplates {
  off: Template;
  alarms: Template;
  all: Template;
  /** `alarms` with a canary without a model. */
  canary: Template;
}

/** The difference from the template `off`, for a month without requests. */
export function monitoringUsd({ off }: MonitoringTemplates, template: Template) {
  const base = totalIdleUsd(off);
  const total = totalIdleUsd(template);
  return {
    usd: toMicroDollars(total.usd - base.usd),
    usdAfterFreeTier: toMicroDollars(total.usdAfterFreeTier - base.usdAfterFreeTier),
  };
}

/** With requests of every kind, without those of single providers, models and operations. */
export function metricsUsd(level: PublishedLevel): number {
  return toMicroDollars(metricCount(level) * prices.metrics.usd);
}

/** The metrics of one provider that had requests, of one model in `metricModels`, or of one operation other than chat. */
export function detailedMetricsUsd(): number {
  return toMicroDollars(detailedMetricCount() * prices.metrics.usd);
}

export function monitoringTable(templates: MonitoringTemplates): string {
  const columns = [templates.off, templates.alarms, templates.all, templates.canary];
  const rowUsd = (template: Template, reason: RegExp) =>
    idleRows(template).reduce((sum, row) => (reason.test(row.reason) ? sum + row.usd : sum), 0);
  const row = (name: string, reason: RegExp) => [
    name,
    ...columns.map((template) => dollars(rowUsd(template, reason))),
  ];
  const totals = columns.map((template) => monitoringUsd(templates, template));
  return markdownTable(
    'A month of monitoring',
    ['Dollars', "`'off'`", "`'alarms'`", "`'all'`", "`'alarms'` and `canary: {}`"],
    [
      row('Alarms', /^metrics that alarms/),
      row('CloudWatch dashboard', /^the CloudWatch dashboard/),
      row('Runs of scheduled functions', /^runs of/),
      row('Metrics that they publish', /^metrics that scheduled/),
      row('Requests of the canary', /^requests of the canary/),
      ['**Without requests**', ...totals.map(({ usd }) => `**${dollars(usd)}**`)],
      ['Beyond the free tier', ...totals.map(({ usdAfterFreeTier }) => dollars(usdAfterFreeTier))],
      [
        'All metrics, with requests of every kind',
        dollars(0),
        dollars(metricsUsd('alarms')),
        dollars(metricsUsd('all')),
        dollars(metricsUsd('alarms') + prices.metrics.usd),
      ],
      [
        'Each provider in use, each of `metricModels`, each operation other than chat',
        dollars(0),
        dollars(0),
        dollars(detailedMetricsUsd()),
        dollars(0),
      ],
    ],
  );
}
