/** Prices the stack's idle resources, from its template. */
import { dollars, markdownTable } from '../harness/figures.ts';
import type { Template } from './deployment.ts';
import { prices, secondsPerMonth, toMicroDollars } from './prices.ts';
import { idleMetrics, type PublishedLevel, scheduledFunctions } from './schedules.ts';

/** The cost of some resources in a month without requests. */
interface IdleCost {
  reason: string;
  units: number;
  unitUsd: number;
  /** Units a month that AWS charges no account for, however old it is. Other workloads may use them up. */
  freeUnits?: number;
}

const free = (reason: string): IdleCost => ({ reason, units: 1, unitUsd: 0 });
const billedPerRequest = 'an endpoint, billed per request';
const configuration = 'permissions and configuration';
const storedCode = '75 GB of code are free';

const methodMetrics = 5;

/** By resource type. A test fails for a type that is missing here, so nothing unpriced gets deployed. */
const idleCosts: Readonly<Record<string, IdleCost>> = {
  'AWS::ApiGateway::Account': free(configuration),
  'AWS::ApiGateway::Deployment': free(configuration),
  'AWS::ApiGateway::GatewayResponse': free(configuration),
  'AWS::ApiGateway::Method': free(billedPerRequest),
  'AWS::ApiGateway::Resource': free(billedPerRequest),
  'AWS::ApiGateway::RestApi': free(billedPerRequest),
  'AWS::ApiGateway::Stage': free(
    `no cache; ${methodMetrics} metrics at $${prices.metrics.usd.toFixed(2)} each for every method called in a month`,
  ),
  'AWS::CloudFront::Distribution': free('billed per request; the first 10 million and 1 TB a month are free'),
  'AWS::CloudFront::Function': free(billedPerRequest),
  'AWS::CloudFront::OriginAccessControl': free(configuration),
  'AWS::CloudFront::ResponseHeadersPolicy': free(configuration),
  'AWS::CloudWatch::Dashboard': {
    units: 1,
    unitUsd: prices.dashboards.usd,
    reason: 'the CloudWatch dashboard; it has more metrics than the 50 of a free one',
  },
  'AWS::Cognito::ManagedLoginBranding': free(configuration),
  'AWS::Cognito::UserPool': free('billed per user who signs in during a month; the first 10,000 are free'),
  'AWS::Cognito::UserPoolClient': free(configuration),
  'AWS::Cognito::UserPoolDomain': free(configuration),
  'AWS::DynamoDB::Table': free('on demand, AWS-owned key; data and backups are billed'),
  'AWS::Events::Rule': free('billed per event that the gateway sends; schedules are free'),
  'AWS::IAM::Policy': free(configuration),
  'AWS::IAM::Role': free(configuration),
  'AWS::Lambda::Alias': free('without `chatProvisionedConcurrency`'),
  'AWS::Lambda::EventInvokeConfig': free(configuration),
  'AWS::Lambda::EventSourceMapping': free('reading a DynamoDB stream is free for Lambda'),
  'AWS::Lambda::Function': free('billed per invocation'),
  'AWS::Lambda::LayerVersion': free(storedCode),
  'AWS::Lambda::Permission': free(configuration),
  'AWS::Lambda::Url': free(billedPerRequest),
  'AWS::Lambda::Version': free(storedCode),
  'AWS::Logs::LogGroup': free('stored lines are billed'),
  'AWS::Logs::QueryDefinition': free('a query is billed by the log lines that it reads'),
  'AWS::S3::Bucket': free('stored files are billed: 1 MB for each version of the dashboard'),
  'AWS::S3::BucketPolicy': free(configuration),
  'AWS::SNS::Subscription': free(configuration),
  'AWS::SNS::Topic': free('billed per notification; 1,000 e-mails a month are free'),
  'AWS::SNS::TopicPolicy': free(configuration),
  'AWS::SQS::Queue': free('billed per call, with SQS-managed keys'),
  'AWS::SQS::QueuePolicy': free(configuration),
  'AWS::SecretsManager::ResourcePolicy': free(configuration),
  'AWS::SecretsManager::Secret': {
    units: 1,
    unitUsd: prices.secretMonths.usd,
    reason: "one secret for all providers' credentials",
  },
  'Custom::CDKBucketDeployment': free(configuration),
  'Custom::S3AutoDeleteObjects': free(configuration),
};

/** Lambda polls a queue over five connections, each a `ReceiveMessage` call that waits for 20 seconds. */
const pollers = 5;
const pollSeconds = 20;
const queuePolling: IdleCost = {
  units: (pollers * secondsPerMonth) / pollSeconds,
  unitUsd: prices.queueRequests.usd / 1e6,
  freeUnits: 1e6,
  reason: 'Lambda polls the queue of lost entries; a million calls a month are free',
};

const freeAlarmMetrics = 10;
const freeMetrics = 10;

interface IdleRow {
  types: string[];
  count: number;
  /** Per month, for all resources of the row. */
  usd: number;
  /** `usd` in an account without other workloads. */
  usdAfterFreeTier: number;
  reason: string;
}

/** Returns rows in descending order of cost. Resources with the same reason share a row. */
export function idleRows(template: Template): IdleRow[] {
  const resources = Object.values(template.Resources).map(({ Type: type, Properties = {} }) => ({
    type,
    cost: idleCostOf(type, Properties),
  }));
  const byReason = Map.groupBy(resources, ({ cost }) => cost.reason);
  const rows = [...byReason.values()].map((group) => toRow(group));
  return [...rows, ...scheduleRows(template)].sort(
    (one, other) => other.usd - one.usd || (one.reason < other.reason ? -1 : 1),
  );
}

function toRow(group: readonly { type?: string; cost: IdleCost }[]): IdleRow {
  const units = group.reduce((sum, { cost }) => sum + cost.units, 0);
  const { reason = '', unitUsd = 0, freeUnits = 0 } = group[0]?.cost ?? {};
  const types = group.flatMap(({ type = [] }) => type);
  return {
    types: [...new Set(types)].sort(),
    count: types.length,
    usd: toMicroDollars(units * unitUsd),
    usdAfterFreeTier: toMicroDollars(Math.max(0, units - freeUnits) * unitUsd),
    reason,
  };
}

/** Runs, requests and metrics of the scheduled functions, which are no resources of their own. */
function scheduleRows(template: Template): IdleRow[] {
  const functions = scheduledFunctions(template);
  const level = publishedLevel(template);
  if (level === null) return [];
  const costs: IdleCost[] = [
    {
      units: functions.reduce((sum, { runsUsd }) => sum + runsUsd, 0),
      unitUsd: 1,
      freeUnits: Number.POSITIVE_INFINITY,
      reason: 'runs of scheduled functions; a million invocations and 400,000 GB-seconds are free',
    },
    {
      units: functions.reduce((sum, { requestsUsd }) => sum + requestsUsd, 0),
      unitUsd: 1,
      reason: 'requests of the canary',
    },
    {
      units: idleMetrics(template, level),
      unitUsd: prices.metrics.usd,
      freeUnits: freeMetrics,
      reason: `metrics that scheduled functions publish; the first ${freeMetrics} of an account are free`,
    },
  ];
  return costs.filter(({ units }) => units > 0).map((cost) => toRow([{ cost }]));
}

/** Every function has the setting `monitoring` in its environment. */
function publishedLevel({ Resources }: Template): PublishedLevel | null {
  const variables = Object.values(Resources).flatMap(
    ({ Properties }) =>
      (Properties?.Environment as { Variables?: { MONITORING?: string } } | undefined)?.Variables ?? [],
  );
  const level = variables.find(({ MONITORING }) => MONITORING !== undefined)?.MONITORING;
  return level === 'alarms' || level === 'all' ? level : null;
}

function idleCostOf(type: string, properties: Record<string, unknown>): IdleCost {
  if (type === 'AWS::CloudWatch::Alarm') return alarmCost(properties);
  // Event source mappings of streams have a starting position, those of queues have none.
  if (type === 'AWS::Lambda::EventSourceMapping' && !('StartingPosition' in properties)) return queuePolling;
  const cost = idleCosts[type];
  if (cost === undefined) throw new Error(`The cost model has no idle cost for ${type}: add it to idleCosts`);
  if ('ProvisionedConcurrencyConfig' in properties) {
    throw new Error('The idle cost of provisioned concurrency is not modelled');
  }
  return cost;
}

/** CloudWatch bills an alarm by the metrics that it refers to, also within an expression. */
function alarmCost({ Metrics }: Record<string, unknown>): IdleCost {
  const inExpression = (Metrics as { MetricStat?: object }[] | undefined)?.filter(
    ({ MetricStat }) => MetricStat !== undefined,
  );
  return {
    units: inExpression?.length ?? 1,
    unitUsd: prices.alarmMetrics.usd,
    freeUnits: freeAlarmMetrics,
    reason: `metrics that alarms refer to; the first ${freeAlarmMetrics} of an account are free`,
  };
}

export function totalIdleUsd(template: Template): { usd: number; usdAfterFreeTier: number } {
  const rows = idleRows(template);
  return {
    usd: toMicroDollars(rows.reduce((sum, row) => sum + row.usd, 0)),
    usdAfterFreeTier: toMicroDollars(rows.reduce((sum, row) => sum + row.usdAfterFreeTier, 0)),
  };
}

export function idleTable(template: Template): string {
  const rows = idleRows(template);
  const { usd, usdAfterFreeTier } = totalIdleUsd(template);
  const countResources = (some: IdleRow[]) => some.reduce((sum, row) => sum + row.count, 0);
  const count = countResources(rows);
  const billed = rows.filter((row) => row.usd > 0);
  const formatTypes = (types: string[]) => types.map((type) => `\`${type.replace('AWS::', '')}\``).join(', ');
  return markdownTable(
    'A month without requests',
    ['Dollars', 'Beyond the free tier', 'Resources', 'Types', 'Reason'],
    [
      ...billed.map((row) => [
        dollars(row.usd),
        dollars(row.usdAfterFreeTier),
        row.count,
        formatTypes(row.types),
        row.reason,
      ]),
      [dollars(0), dollars(0), count - countResources(billed), 'all others', 'free, or billed by use'],
      [`**${dollars(usd)}**`, `**${dollars(usdAfterFreeTier)}**`, count, '**All**', ''],
    ],
  );
}
