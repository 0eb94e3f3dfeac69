import { describe, expect, it } from 'vitest';
import { metricNames } from '#lambdas/platform/telemetry/metrics.ts';
import type { GatewayConfig } from '#lib/settings/settings.ts';
import { evaluateMetricMath } from '#test/support/monitoring/metric-math/evaluate.ts';
import { parseMetricMath } from '#test/support/monitoring/metric-math/parse.ts';
import { synthesizeGateway } from '../synthesized-gateway.ts';

interface Widget {
  type: string;
  x: number;
  width: number;
  properties: {
    title?: string;
    markdown?: string;
    alarms?: string[];
    metrics?: unknown[][];
    start?: string;
    setPeriodToTimeRange?: boolean;
  };
}

interface Dashboard {
  start: string;
  periodOverride: string;
  widgets: Widget[];
}

function synthesizeDashboard(config: GatewayConfig) {
  const gateway = synthesizeGateway({ monitoring: 'all', ...config });
  const { DashboardName, DashboardBody } = gateway.resource('Monitoring/Dashboard').Properties;
  const body: Dashboard = JSON.parse(gateway.readable(DashboardBody));
  return { gateway, name: gateway.readable(DashboardName), ...body };
}

const complete = synthesizeDashboard({
  metricModels: ['openai/gpt-5.5'],
  canary: {},
  mailFrom: 'gateway@acme.example',
});
const { gateway, widgets } = complete;
const staging = synthesizeDashboard({ stackName: 'Staging' });

const textOf = (value: unknown) => JSON.stringify(value);
const titlesOf = (of: readonly Widget[]) => of.flatMap(({ properties }) => properties.title ?? []);
const widget = (title: string) => widgets.find(({ properties }) => properties.title === title)?.properties;

describe('CloudWatch dashboard', () => {
  it('has a name that is unique in the account, and shows the last three hours', () => {
    const { name, start, periodOverride } = staging;

    expect([name, start, periodOverride]).toEqual(['Staging-AWS::Region', '-PT3H', 'inherit']);
  });

  it('shows the alarms first, then the questions of an operator in their order, then details', () => {
    const headings = widgets.flatMap(
      ({ properties }) => /^#+ (.*)/.exec(properties.markdown ?? '')?.[1] ?? [],
    );

    expect(widgets.slice(0, 3).map(({ type }) => type)).toEqual(['text', 'alarm', 'alarm']);
    expect(headings).toEqual([
      'AiGateway',
      'Is it up?',
      'Is it us or a provider?',
      'What does it cost?',
      'Is every request counted?',
      'Providers and operations',
      'Functions and streams',
      'Queues',
      'Tables, and indexes of the log entries',
    ]);
  });

  it('shows every alarm by its severity', () => {
    const [pages = [], tickets = []] = widgets.flatMap(({ properties }) =>
      properties.alarms === undefined ? [] : [properties.alarms],
    );
    const pathsOf = (severity: string) =>
      gateway
        .ofType('AWS::CloudWatch::Alarm')
        .filter(({ resource }) => String(resource.Properties.AlarmName).startsWith(`AiGateway-${severity}-`))
        .map(({ path }) => `${path}.Arn`);

    expect(pages).toEqual(pathsOf('page'));
    expect(tickets).toEqual(pathsOf('ticket'));
    expect(pages.length).toBeGreaterThan(0);
  });

  it.each([
    [
      'Cost in the last hour',
      [
        'dollars',
        'requests that reached a provider',
        'dollars per 1,000 requests',
        'input tokens',
        'output tokens',
        'requests without a price',
        'requests with an assumed price',
        'requests with estimated usage',
        'percent of the cost assumed or estimated',
      ],
    ],
    [
      'Requests in the last hour',
      [
        'invocations of chat',
        'entries written',
        'entries counted',
        'written − counted',
        'entries queued',
        'entries not written',
        'most entries waiting',
        'entries recovered',
        'killed, cost unknown',
      ],
    ],
  ])('has single values of the last hour, whatever its range: %s', (title, labels) => {
    const { start, setPeriodToTimeRange, metrics = [] } = widget(title) ?? {};
    const options = metrics.map((metric) => metric.at(-1) as { label?: string; visible?: boolean });

    expect({ start, setPeriodToTimeRange }).toEqual({ start: '-PT1H', setPeriodToTimeRange: true });
    expect(options.filter(({ visible }) => visible !== false).map(({ label }) => label)).toEqual(labels);
  });

  it('shows the verification of several nights, whatever its range', () => {
    expect(widget('Verification of the rollups, every night, in three days')?.start).toBe('-P3D');
  });

  it('shows every metric of the gateway', () => {
    const text = textOf(widgets);
    const isShown = (name: string) =>
      text.includes(`["AiGateway","${name}","Stack","AiGateway"`) ||
      text.includes(`MetricName=\\\\\\"${name}\\\\\\"`);

    expect(metricNames.filter((name) => !isShown(name))).toEqual([]);
  });

  it('shows metrics of all providers, whatever their names', () => {
    expect(widget('Latency by provider, ms')?.metrics?.flat()).toEqual(
      ['p50', 'p99'].map((statistic) => ({
        expression: `SEARCH('{AiGateway,Provider,Stack} MetricName="Latency" Stack="AiGateway"', '${statistic}', 300)`,
        label: `\${PROP('Dim.Provider')} ${statistic}`,
      })),
    );
  });

  it('shows the requests of each operation, and chat completions as the total without the others', () => {
    const requests = ['AiGateway', 'Requests', 'Stack', 'AiGateway'];
    const hiddenTotal = { stat: 'Sum', visible: false, id: 'requests' };
    const of = (operation: string, id: string) => [
      'AiGateway',
      'Requests',
      'Operation',
      operation,
      'Stack',
      'AiGateway',
      { label: operation, stat: 'Sum', id },
    ];

    expect(widget('Requests by operation')?.metrics).toEqual([
      [
        {
          label: 'chat.completions',
          expression: 'requests - FILL(m1, 0) - FILL(m2, 0) - FILL(m3, 0)',
        },
      ],
      [...requests, hiddenTotal],
      of('embeddings', 'm1'),
      of('messages', 'm2'),
      of('responses', 'm3'),
    ]);
  });

  it.each([
    ['of chat completions alone', { requests: 7 }, 7],
    ['of all operations', { requests: 18, m1: 3, m2: 2, m3: 6 }, 7],
    ['of embeddings alone', { requests: 3, m1: 3 }, 0],
    ['of messages alone', { requests: 2, m2: 2 }, 0],
    ['of responses alone', { requests: 6, m3: 6 }, 0],
  ])('computes the chat completions from requests %s', (_, values: Record<string, number>, expected) => {
    const [[chat] = []] = widget('Requests by operation')?.metrics ?? [];
    const { expression } = chat as { expression: string };

    expect(evaluateMetricMath(parseMetricMath(expression), (id) => values[id] ?? null)).toBe(expected);
  });

  it('shows each function, queue, table and index', () => {
    const text = textOf(widgets);
    const missing = ['AWS::Lambda::Function', 'AWS::SQS::Queue', 'AWS::DynamoDB::Table'].flatMap((type) =>
      gateway
        .ofType(type)
        .map(({ path }) => path)
        .filter((path) => !path.startsWith('Custom::') && !text.includes(`"${path}`)),
    );

    expect(missing).toEqual([]);
    expect(text).toContain('"GlobalSecondaryIndexName","by-status"');
  });

  it('has graphs of models and of the canary only if they are set', () => {
    const withoutBoth = titlesOf(staging.widgets);

    expect(titlesOf(widgets).filter((title) => !withoutBoth.includes(title))).toEqual([
      'Canary',
      'Dollars by model of metricModels',
      'Requests by model of metricModels',
      'Failures by model',
      'Latency by model, ms',
    ]);
  });

  it('has unique titles and no widget beyond the 24 columns', () => {
    const titles = titlesOf(widgets);

    expect(titles).toEqual([...new Set(titles)]);
    expect(widgets.filter(({ x, width }) => x + width > 24)).toEqual([]);
  });
});
