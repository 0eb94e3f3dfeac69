/** Reads the metrics of a CloudWatch dashboard. */
import { isJsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import type { Metric } from '../monitoring/metric-store.ts';

export interface DashboardMetric {
  namespace: string;
  name: string;
  /** A search has names of dimensions whose values it finds. */
  dimensions: Record<string, string | null>;
}

export function readDashboardMetrics(body: string): DashboardMetric[] {
  const dashboard = parseJson(body);
  const widgets = isJsonObject(dashboard) && Array.isArray(dashboard.widgets) ? dashboard.widgets : [];
  return widgets.flatMap((widget) =>
    widget.type === 'metric' ? widget.properties.metrics.flatMap(readMetric) : [],
  );
}

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html */
function readMetric(item: unknown[]): DashboardMetric[] {
  const [first, name, ...rest] = item;
  if (isJsonObject(first)) return readSearches(String(first.expression));
  const strings = rest.filter((part) => typeof part === 'string');
  const dimensions: Record<string, string> = {};
  for (let index = 0; index + 1 < strings.length; index += 2)
    dimensions[strings[index] ?? ''] = strings[index + 1] ?? '';
  return [{ namespace: String(first), name: String(name), dimensions }];
}

/** Other expressions refer to metrics that are listed too. */
function readSearches(expression: string): DashboardMetric[] {
  const pattern = /SEARCH\('\{([^}]*)\} MetricName="(\w+)"([^']*)'/g;
  return [...expression.matchAll(pattern)].map(([, schema = '', name = '', filters = '']) => {
    const [namespace = '', ...names] = schema.split(',');
    const values = new Map([...filters.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));
    const dimensions = Object.fromEntries(names.map((key) => [key, values.get(key) ?? null]));
    return { namespace, name, dimensions };
  });
}

/** Whether the recorded metric is the one on the dashboard, or one that its search finds. */
export function isSameMetric(shown: DashboardMetric, recorded: Metric): boolean {
  const dimensions = Object.entries(shown.dimensions);
  return (
    recorded.namespace === shown.namespace &&
    recorded.name === shown.name &&
    Object.keys(recorded.dimensions).length === dimensions.length &&
    dimensions.every(([key, value]) => {
      const recordedValue = recorded.dimensions[key];
      return recordedValue !== undefined && (value === null || value === recordedValue);
    })
  );
}
