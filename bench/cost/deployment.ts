/** Reads the settings that determine costs from the stack's template, and prices its idle resources. */
import { defaultSettings } from '#lib/settings.ts';
import { dollars, markdownTable } from '../harness/figures.ts';
import { prices, secondsPerMonth, toMicroDollars } from './prices.ts';

export interface Template {
  Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
}

export interface Deployment {
  /** True when Lambda logs the start and the end of each invocation. */
  hasPlatformLines: boolean;
  rollupMemoryMb: number;
  batchingWindowSeconds: number;
  maxBatchSize: number;
  /** Size of a line of API Gateway's access log, assuming 16 bytes per value. */
  accessLogLineBytes: number;
  entryRetentionDays: number;
  logRetentionDays: number;
}

/** Expects the template of a stack with default settings. */
export function readDeployment(template: Template): Deployment {
  const chat = propertiesOf(template, 'AWS::Lambda::Function', 'Forwards chat completions');
  const rollup = propertiesOf(template, 'AWS::Lambda::Function', 'Adds new log entries');
  const stream = propertiesOf(template, 'AWS::Lambda::EventSourceMapping', 'TumblingWindowInSeconds');
  const stage = propertiesOf(template, 'AWS::ApiGateway::Stage', 'AccessLogSetting');
  const { SystemLogLevel } = chat.LoggingConfig as { SystemLogLevel?: string };
  const { Format } = stage.AccessLogSetting as { Format: string };
  return {
    hasPlatformLines: SystemLogLevel !== 'WARN',
    rollupMemoryMb: Number(rollup.MemorySize),
    batchingWindowSeconds: Number(stream.MaximumBatchingWindowInSeconds),
    maxBatchSize: Number(stream.BatchSize),
    accessLogLineBytes: Buffer.byteLength(Format.replace(/\$context\.[\w.]+/g, 'x'.repeat(16))),
    entryRetentionDays: defaultSettings.entryRetentionDays,
    logRetentionDays: defaultSettings.logRetentionDays,
  };
}

/** Returns the properties of the first resource of this type whose JSON contains `text`. Throws when there is none. */
function propertiesOf({ Resources }: Template, type: string, text: string): Record<string, unknown> {
  const found = Object.values(Resources).find(
    ({ Type, Properties }) => Type === type && JSON.stringify(Properties).includes(text),
  );
  if (found?.Properties === undefined) throw new Error(`The template has no ${type} with "${text}"`);
  return found.Properties;
}

interface IdleCost {
  /** Per month and resource. */
  usd: number;
  reason: string;
}

const free = (reason: string): IdleCost => ({ usd: 0, reason });
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
  'AWS::Cognito::ManagedLoginBranding': free(configuration),
  'AWS::Cognito::UserPool': free('billed per user who signs in during a month; the first 10,000 are free'),
  'AWS::Cognito::UserPoolClient': free(configuration),
  'AWS::Cognito::UserPoolDomain': free(configuration),
  'AWS::DynamoDB::Table': free('on demand, AWS-owned key; data and backups are billed'),
  'AWS::Events::Rule': free('billed per event that the gateway sends'),
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
  'AWS::S3::Bucket': free('stored files are billed: 1 MB for each version of the dashboard'),
  'AWS::S3::BucketPolicy': free(configuration),
  'AWS::SQS::Queue': free('billed per call, with SQS-managed keys'),
  'AWS::SQS::QueuePolicy': free(configuration),
  'AWS::SecretsManager::ResourcePolicy': free(configuration),
  'AWS::SecretsManager::Secret': {
    usd: prices.secretMonths.usd,
    reason: "one secret for all providers' credentials",
  },
  'Custom::CDKBucketDeployment': free(configuration),
  'Custom::S3AutoDeleteObjects': free(configuration),
};

/** Lambda polls a queue over five connections, each a `ReceiveMessage` call that waits for 20 seconds. */
const pollers = 5;
const pollSeconds = 20;
const queuePolling: IdleCost = {
  usd: ((pollers * secondsPerMonth) / pollSeconds / 1e6) * prices.queueRequests.usd,
  reason: 'Lambda polls the queue of lost entries; covered by the SQS free tier, a million calls a month',
};

export interface IdleRow {
  types: string[];
  count: number;
  /** Per month, for all resources of the row. */
  usd: number;
  reason: string;
}

/** Returns rows in descending order of cost. Resources with the same reason share a row. */
export function idleRows({ Resources }: Template): IdleRow[] {
  const rows = new Map<string, IdleRow>();
  for (const { Type, Properties = {} } of Object.values(Resources)) {
    const { usd, reason } = idleCostOf(Type, Properties);
    const row = rows.get(reason) ?? { types: [], count: 0, usd: 0, reason };
    const types = row.types.includes(Type) ? row.types : [...row.types, Type].sort();
    rows.set(reason, { types, count: row.count + 1, usd: toMicroDollars(row.usd + usd), reason });
  }
  return [...rows.values()].sort((one, other) => other.usd - one.usd || (one.reason < other.reason ? -1 : 1));
}

function idleCostOf(type: string, properties: Record<string, unknown>): IdleCost {
  // Event source mappings of streams have a starting position, those of queues have none.
  if (type === 'AWS::Lambda::EventSourceMapping' && !('StartingPosition' in properties)) return queuePolling;
  const cost = idleCosts[type];
  if (cost === undefined) throw new Error(`The cost model has no idle cost for ${type}: add it to idleCosts`);
  if ('ProvisionedConcurrencyConfig' in properties) {
    throw new Error('The idle cost of provisioned concurrency is not modelled');
  }
  return cost;
}

export function idleTable(template: Template): string {
  const rows = idleRows(template);
  const usd = rows.reduce((sum, row) => sum + row.usd, 0);
  const countResources = (some: IdleRow[]) => some.reduce((sum, row) => sum + row.count, 0);
  const count = countResources(rows);
  const billed = rows.filter((row) => row.usd > 0);
  const formatTypes = (types: string[]) => types.map((type) => `\`${type.replace('AWS::', '')}\``).join(', ');
  return markdownTable(
    'A month without requests',
    ['Dollars', 'Resources', 'Types', 'Reason'],
    [
      ...billed.map((row) => [dollars(row.usd), row.count, formatTypes(row.types), row.reason]),
      [dollars(0), count - countResources(billed), 'all others', 'free, or billed by use'],
      [`**${dollars(usd)}**`, count, '**All**', ''],
    ],
  );
}
