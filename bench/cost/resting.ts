/** What the stack costs in a month without a request: each kind of resource of the template, and why it costs that. */
import { prices, secondsOfMonth, toMicroDollars } from './prices.ts';
import type { Template } from './setup.ts';

export interface RestingRow {
  types: string[];
  count: number;
  /** In a month, for all of them. */
  usd: number;
  why: string;
}

interface Rest {
  usd: number;
  why: string;
}

const free = (why: string): Rest => ({ usd: 0, why });
const isWay = 'a way in, paid for by the request';
const isRule = 'says who may do what, or how';

/** Lambda keeps five connections to a queue open, each a call that waits for 20 seconds. */
const pollers = 5;
const pollSeconds = 20;
const pollsUsd = ((pollers * secondsOfMonth) / pollSeconds / 1e6) * prices.queueRequests.usd;

/** API Gateway's. */
const methodMetrics = 5;

/** Of one resource. A kind that is not here is a question to answer before it is deployed. */
const atRest: Readonly<Record<string, Rest>> = {
  'AWS::ApiGateway::Account': free(isRule),
  'AWS::ApiGateway::Deployment': free(isRule),
  'AWS::ApiGateway::GatewayResponse': free(isRule),
  'AWS::ApiGateway::Method': free(isWay),
  'AWS::ApiGateway::Resource': free(isWay),
  'AWS::ApiGateway::RestApi': free(isWay),
  'AWS::ApiGateway::Stage': free(
    `has no cache; of each method that was called in a month, ${methodMetrics} metrics for $${prices.metrics.usd.toFixed(2)} each`,
  ),
  'AWS::DynamoDB::Table': free('on demand, AWS-owned key: what is stored is billed, and its backups'),
  'AWS::IAM::Policy': free(isRule),
  'AWS::IAM::Role': free(isRule),
  'AWS::Lambda::Alias': free('without `chatProvisionedConcurrency`'),
  'AWS::Lambda::EventSourceMapping': free('reading the stream of a table is free'),
  'AWS::Lambda::Function': free('runs on request'),
  'AWS::Lambda::Permission': free(isRule),
  'AWS::Lambda::Url': free(isWay),
  'AWS::Lambda::Version': free('75 GB of code are free'),
  'AWS::Logs::LogGroup': free('what is stored is billed'),
  'AWS::SQS::Queue': free('billed by the call, with SQS-managed keys'),
  'AWS::SQS::QueuePolicy': free(isRule),
  'AWS::SecretsManager::ResourcePolicy': free(isRule),
  'AWS::SecretsManager::Secret': {
    usd: prices.secretMonths.usd,
    why: "one secret for all providers' credentials; AWS-managed key",
  },
};

const polling: Rest = {
  usd: pollsUsd,
  why: 'Lambda asks the queue of lost entries all the time; within the million calls that SQS gives away each month',
};

/**
 * Dearest first; kinds that are alike in one row. Throws where a kind of resource is unknown, since it may cost
 * something.
 */
export function restingRows({ Resources }: Template): RestingRow[] {
  const rows = new Map<string, RestingRow>();
  for (const { Type, Properties = {} } of Object.values(Resources)) {
    const { usd, why } = restOf(Type, Properties);
    const row = rows.get(why) ?? { types: [], count: 0, usd: 0, why };
    const types = row.types.includes(Type) ? row.types : [...row.types, Type].sort();
    rows.set(why, { types, count: row.count + 1, usd: toMicroDollars(row.usd + usd), why });
  }
  return [...rows.values()].sort((one, other) => other.usd - one.usd || compare(one.why, other.why));
}

function restOf(type: string, properties: Record<string, unknown>): Rest {
  // Of a queue: those of streams start at a position.
  if (type === 'AWS::Lambda::EventSourceMapping' && !('StartingPosition' in properties)) return polling;
  const rest = atRest[type];
  if (rest === undefined) throw new Error(`Nobody has said what ${type} costs at rest`);
  if ('ProvisionedConcurrencyConfig' in properties) throw new Error('What is kept ready is not at rest');
  return rest;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : 1;
}
