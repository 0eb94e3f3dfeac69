/** What the stack's template says about costs: of a chat, and of a month without requests. */
import { defaultSettings } from '#lib/settings.ts';
import { dollars, markdownTable } from '../harness/figures.ts';
import { prices, secondsOfMonth, toMicroDollars } from './prices.ts';

export interface Template {
  Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
}

export interface Deployment {
  /** Whether Lambda writes lines of its own about each chat. */
  platformLines: boolean;
  rollupMemoryMb: number;
  /** How long entries are collected for the rollup function, and how many at most. */
  batchSeconds: number;
  batchSize: number;
  /** Of a line of API Gateway's access log, with 16 bytes for each value. */
  accessLogBytes: number;
  entryDays: number;
  logDays: number;
}

/** The template of a stack with default settings. */
export function readDeployment(template: Template): Deployment {
  const chat = propertiesOf(template, 'AWS::Lambda::Function', 'Forwards chat completions');
  const rollup = propertiesOf(template, 'AWS::Lambda::Function', 'Adds new log entries');
  const stream = propertiesOf(template, 'AWS::Lambda::EventSourceMapping', 'StartingPosition');
  const stage = propertiesOf(template, 'AWS::ApiGateway::Stage', 'AccessLogSetting');
  const { SystemLogLevel } = chat.LoggingConfig as { SystemLogLevel?: string };
  const { Format } = stage.AccessLogSetting as { Format: string };
  return {
    platformLines: SystemLogLevel !== 'WARN',
    rollupMemoryMb: Number(rollup.MemorySize),
    batchSeconds: Number(stream.MaximumBatchingWindowInSeconds),
    batchSize: Number(stream.BatchSize),
    accessLogBytes: Buffer.byteLength(Format.replace(/\$context\.[\w.]+/g, 'x'.repeat(16))),
    entryDays: defaultSettings.entryRetentionDays,
    logDays: defaultSettings.logRetentionDays,
  };
}

/** The properties of the first resource of a type that contain a text. */
function propertiesOf({ Resources }: Template, type: string, text: string): Record<string, unknown> {
  const found = Object.values(Resources).find(
    ({ Type, Properties }) => Type === type && JSON.stringify(Properties).includes(text),
  );
  if (found?.Properties === undefined) throw new Error(`The template has no ${type} with "${text}"`);
  return found.Properties;
}

interface IdleCost {
  /** A month, for one resource. */
  usd: number;
  why: string;
}

const free = (why: string): IdleCost => ({ usd: 0, why });
const isEntrance = 'an entrance, billed by the request';
const isRule = 'permissions and configuration';

const methodMetrics = 5;

/** By type of resource. A type that is missing here needs an answer before it is deployed. */
const idleCosts: Readonly<Record<string, IdleCost>> = {
  'AWS::ApiGateway::Account': free(isRule),
  'AWS::ApiGateway::Deployment': free(isRule),
  'AWS::ApiGateway::GatewayResponse': free(isRule),
  'AWS::ApiGateway::Method': free(isEntrance),
  'AWS::ApiGateway::Resource': free(isEntrance),
  'AWS::ApiGateway::RestApi': free(isEntrance),
  'AWS::ApiGateway::Stage': free(
    `no cache; ${methodMetrics} metrics for $${prices.metrics.usd.toFixed(2)} each of every method that was called in a month`,
  ),
  'AWS::DynamoDB::Table': free('on demand, AWS-owned key; data and backups are billed'),
  'AWS::IAM::Policy': free(isRule),
  'AWS::IAM::Role': free(isRule),
  'AWS::Lambda::Alias': free('without `chatProvisionedConcurrency`'),
  'AWS::Lambda::EventSourceMapping': free('reading the stream of a table is free'),
  'AWS::Lambda::Function': free('runs on request'),
  'AWS::Lambda::Permission': free(isRule),
  'AWS::Lambda::Url': free(isEntrance),
  'AWS::Lambda::Version': free('75 GB of code are free'),
  'AWS::Logs::LogGroup': free('stored lines are billed'),
  'AWS::SQS::Queue': free('billed by the call, with SQS-managed keys'),
  'AWS::SQS::QueuePolicy': free(isRule),
  'AWS::SecretsManager::ResourcePolicy': free(isRule),
  'AWS::SecretsManager::Secret': {
    usd: prices.secretMonths.usd,
    why: "one secret for all providers' credentials",
  },
};

/** Lambda keeps five connections to a queue open, each a call that waits for 20 seconds. */
const pollers = 5;
const pollSeconds = 20;
const queuePolling: IdleCost = {
  usd: ((pollers * secondsOfMonth) / pollSeconds / 1e6) * prices.queueRequests.usd,
  why: 'Lambda polls the queue of lost entries; covered by the SQS free tier, a million calls a month',
};

export interface IdleRow {
  types: string[];
  count: number;
  /** A month, for all of them. */
  usd: number;
  why: string;
}

/** In descending order of cost. Resources with the same reason share a row. */
export function idleRows({ Resources }: Template): IdleRow[] {
  const rows = new Map<string, IdleRow>();
  for (const { Type, Properties = {} } of Object.values(Resources)) {
    const { usd, why } = idleCostOf(Type, Properties);
    const row = rows.get(why) ?? { types: [], count: 0, usd: 0, why };
    const types = row.types.includes(Type) ? row.types : [...row.types, Type].sort();
    rows.set(why, { types, count: row.count + 1, usd: toMicroDollars(row.usd + usd), why });
  }
  return [...rows.values()].sort((one, other) => other.usd - one.usd || (one.why < other.why ? -1 : 1));
}

function idleCostOf(type: string, properties: Record<string, unknown>): IdleCost {
  // Mappings of streams have a starting position, those of queues have none.
  if (type === 'AWS::Lambda::EventSourceMapping' && !('StartingPosition' in properties)) return queuePolling;
  const cost = idleCosts[type];
  if (cost === undefined) throw new Error(`The cost model does not know what an idle ${type} costs`);
  if ('ProvisionedConcurrencyConfig' in properties) throw new Error('Provisioned concurrency is never idle');
  return cost;
}

export function idleTable(template: Template): string {
  const rows = idleRows(template);
  const usd = rows.reduce((sum, row) => sum + row.usd, 0);
  const countOf = (some: IdleRow[]) => some.reduce((sum, row) => sum + row.count, 0);
  const count = countOf(rows);
  const billed = rows.filter((row) => row.usd > 0);
  const typesOf = (types: string[]) => types.map((type) => `\`${type.replace('AWS::', '')}\``).join(', ');
  return markdownTable(
    'A month without requests',
    ['Dollars', 'Resources', 'Types', 'Reason'],
    [
      ...billed.map((row) => [dollars(row.usd), row.count, typesOf(row.types), row.why]),
      [dollars(0), count - countOf(billed), 'all others', 'free, or billed by use'],
      [`**${dollars(usd)}**`, count, '**All**', ''],
    ],
  );
}
