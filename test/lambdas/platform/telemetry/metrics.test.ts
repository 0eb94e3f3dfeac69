import { describe, expect, it } from 'vitest';
import { readProviderAccess } from '#lambdas/inference/providers/catalog.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import {
  createMetricFields,
  isDetailed,
  type MetricValues,
  maxValues,
  metricNames,
  metrics,
} from '#lambdas/platform/telemetry/metrics.ts';
import { operations, unnamedOperation } from '#lambdas/request-log/operation.ts';
import { monitoringFields } from '#lib/settings/monitoring.ts';
import { providersSchema } from '#lib/settings/providers.ts';
import { readEmbeddedMetrics } from '#test/support/monitoring/embedded-metrics.ts';

const atMs = Date.UTC(2026, 10, 23, 9, 30);
const everyMetric: MetricValues = Object.fromEntries(metricNames.map((name) => [name, 1]));
const fieldsAt = (level: 'off' | 'alarms' | 'all') => createMetricFields({ level, stackName: 'Staging' });

/** Returns the metrics that CloudWatch extracts from a line. Throws if it violates the specification. */
const publishedIn = (fields: object) => readEmbeddedMetrics(JSON.stringify({ event: 'x', ...fields }));

describe('createMetricFields', () => {
  it('publishes every metric for the stack, with its unit and time', () => {
    expect(publishedIn(fieldsAt('all')(everyMetric, { atMs }))).toEqual(
      metricNames.map((name) => ({
        metric: { namespace: 'AiGateway', name, dimensions: { Stack: 'Staging' } },
        unit: metrics[name].unit,
        values: [1],
        atMs,
      })),
    );
  });

  it('publishes a detailed metric also for the provider and the named model', () => {
    const scope = { atMs, provider: 'openai', model: 'openai/gpt-5.5' };
    const values = { Requests: 2, ClientDisconnects: 1, Latency: [800, 1200] };
    const published = publishedIn(fieldsAt('all')(values, scope));

    expect(published.map(({ metric, values }) => [metric.name, metric.dimensions, values])).toEqual([
      ['Requests', { Stack: 'Staging' }, [2]],
      ['ClientDisconnects', { Stack: 'Staging' }, [1]],
      ['Latency', { Stack: 'Staging' }, [800, 1200]],
      ['Requests', { Stack: 'Staging', Provider: 'openai' }, [2]],
      ['Requests', { Stack: 'Staging', Model: 'openai/gpt-5.5' }, [2]],
      ['Latency', { Stack: 'Staging', Provider: 'openai' }, [800, 1200]],
      ['Latency', { Stack: 'Staging', Model: 'openai/gpt-5.5' }, [800, 1200]],
    ]);
  });

  it('publishes a detailed metric also for the operation, but not for pairs of operation and provider or model', () => {
    const scope = { atMs, provider: 'openai', model: 'openai/e-3', operation: 'embeddings' };
    const published = publishedIn(fieldsAt('all')({ CostUsd: 0.5, RejectedRequests: 1 }, scope));

    expect(published.map(({ metric, values }) => [metric.name, metric.dimensions, values])).toEqual([
      ['CostUsd', { Stack: 'Staging' }, [0.5]],
      ['RejectedRequests', { Stack: 'Staging' }, [1]],
      ['CostUsd', { Stack: 'Staging', Provider: 'openai' }, [0.5]],
      ['CostUsd', { Stack: 'Staging', Model: 'openai/e-3' }, [0.5]],
      ['CostUsd', { Stack: 'Staging', Operation: 'embeddings' }, [0.5]],
    ]);
  });

  it('adds no field of a provider, a model or an operation to a line without a detailed metric', () => {
    const scope = { atMs, provider: 'openai', model: 'openai/e-3', operation: 'embeddings' };
    const { _aws, ...fields } = { _aws: null, ...fieldsAt('all')({ RejectedRequests: 1 }, scope) };

    expect(fields).toEqual({ Stack: 'Staging', RejectedRequests: 1 });
  });

  it('publishes fewer metrics at the level alarms, and only for the stack', () => {
    const scope = { atMs, provider: 'openai', model: 'openai/e-3', operation: 'embeddings' };
    const fields = fieldsAt('alarms')(everyMetric, scope);

    expect(publishedIn(fields).map(({ metric }) => [metric.name, metric.dimensions])).toEqual(
      metricNames
        .filter((name) => metrics[name].level === 'alarms')
        .map((name) => [name, { Stack: 'Staging' }]),
    );
    expect(fields).not.toHaveProperty('RollupLag');
    for (const name of ['Provider', 'Model', 'Operation']) expect(fields).not.toHaveProperty(name);
  });

  it('adds no field at the level off, and none without a metric of the level', () => {
    expect(fieldsAt('off')(everyMetric, { atMs, provider: 'openai' })).toEqual({});
    expect(fieldsAt('alarms')({ Latency: [1] }, { atMs, provider: 'openai' })).toEqual({});
  });

  it('publishes as many values of a metric as the format allows', () => {
    const values = Array.from({ length: maxValues }, (_, index) => index);
    expect(publishedIn(fieldsAt('all')({ GatewayOverhead: values }, { atMs }))[0]?.values).toEqual(values);
    const tooMany = fieldsAt('all')({ GatewayOverhead: [...values, 100] }, { atMs });
    expect(() => publishedIn(tooMany)).toThrow('must have 1 to 100 values');
  });
});

/**
 * US dollars a month for each of the first 10,000, in most regions: https://aws.amazon.com/cloudwatch/pricing/. The first
 * ten of an account are free, and an hour without a value costs nothing.
 */
const metricPrice = 0.3;

describe('The number of custom metrics', () => {
  const builtIn = readProviderAccess({}).map(({ name }) => name);
  const models = namedModels();
  const otherOperations = operations.filter((operation) => operation !== unnamedOperation);
  const priceOf = (count: number) => Math.round(count * metricPrice * 100) / 100;

  it('is at most 15 at the level alarms, however many providers, models and operations there are: 4.50 USD a month', () => {
    const count = countMetrics('alarms', [...builtIn, ...addedProviders()], models, otherOperations);
    expect([count, priceOf(count)]).toEqual([15, 4.5]);
  });

  it('is at most 42 at the level all with one provider, and 7 more with each other: 12.60 and 2.10 USD a month', () => {
    expect(countMetrics('all', ['openai'], [])).toBe(42);
    expect(countMetrics('all', ['openai', 'groq'], [])).toBe(49);
    expect([priceOf(42), priceOf(7)]).toEqual([12.6, 2.1]);
  });

  it('is 7 more with each operation other than chat completions: 2.10 USD a month', () => {
    expect(countMetrics('all', ['openai', 'groq'], [], ['embeddings'])).toBe(49 + 7);
    expect(countMetrics('all', ['openai', 'groq'], [], ['embeddings', 'responses'])).toBe(49 + 14);
  });

  it('is at most 294 with the 17 built-in providers and 20 named models: 88.20 USD a month', () => {
    expect([builtIn.length, models.length]).toEqual([17, 20]);
    const count = countMetrics('all', builtIn, models);
    expect(count).toBe(metricNames.length + metricNames.filter(isDetailed).length * (17 + 20));
    expect([count, priceOf(count)]).toEqual([294, 88.2]);
  });

  it('is at most 966, with every operation and as many providers as the settings can add: 289.80 USD a month', () => {
    const added = addedProviders();
    const count = countMetrics('all', [...builtIn, ...added], models, otherOperations);
    expect([added.length, otherOperations.length, count, priceOf(count)]).toEqual([93, 3, 966, 289.8]);
  });
});

/** Publishes every metric for every provider, model and operation, and counts the combinations of name and dimensions. */
function countMetrics(
  level: 'alarms' | 'all',
  providers: readonly string[],
  models: readonly string[],
  operations: readonly string[] = [],
): number {
  const scopes = [
    ...providers.flatMap((provider) =>
      [null, ...operations].map((operation) => ({ atMs, provider, operation })),
    ),
    ...models.map((model) => ({ atMs, model, provider: model.split('/')[0] ?? '' })),
  ];
  const published = scopes.flatMap((scope) => publishedIn(fieldsAt(level)(everyMetric, scope)));
  return new Set(published.map(({ metric }) => JSON.stringify(metric))).size;
}

/** As many models as the setting `metricModels` accepts. */
function namedModels(): string[] {
  const models: string[] = [];
  const accepts = (names: string[]) => monitoringFields.metricModels.safeParse(names).success;
  while (accepts([...models, `openai/m${models.length}`])) models.push(`openai/m${models.length}`);
  return models;
}

/** As many providers as the setting `providers` accepts in addition to the built-in ones: those with the shortest settings. */
function addedProviders(): string[] {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const names = [...letters, ...letters.flatMap((first) => letters.map((second) => first + second))];
  const settings: Record<string, ProviderSettingsByName[string]> = {};
  for (const name of names) {
    const candidate = { ...settings, [name]: { baseUrl: 'https://a' } };
    if (!providersSchema.safeParse(candidate).success) break;
    settings[name] = { baseUrl: 'https://a' };
  }
  return Object.keys(settings);
}
