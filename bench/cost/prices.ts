/**
 * AWS list prices in dollars: on demand, us-east-1, arm64 functions, first pricing tier. Excludes the monthly free tier,
 * since other workloads in the account may use it up.
 */

import { hourSeconds } from '#lambdas/platform/duration.ts';
import { markdownTable } from '../harness/figures.ts';

interface ListPrice {
  usd: number;
  unit: string;
  source: string;
}

/** Date on which all prices were last compared with their sources. */
const pricesAsOf = '2026-11-22';

const lambda = 'https://aws.amazon.com/lambda/pricing/';
const dynamodb = 'https://aws.amazon.com/dynamodb/pricing/on-demand/';
const cloudwatch = 'https://aws.amazon.com/cloudwatch/pricing/';
const secretsManager = 'https://aws.amazon.com/secrets-manager/pricing/';
const ec2 = 'https://aws.amazon.com/ec2/pricing/on-demand/';
const vpc = 'https://aws.amazon.com/vpc/pricing/';

export const prices = {
  lambdaDuration: { usd: 0.0000133334, unit: 'GB-second of a function', source: lambda },
  lambdaRequests: { usd: 0.2, unit: 'million requests to a function', source: lambda },
  lambdaStreaming: { usd: 0.008, unit: 'GB streamed, above the first 6 MB of a response', source: lambda },
  provisionedConcurrency: {
    usd: 0.0000033334,
    unit: 'GB-second of a provisioned environment',
    source: lambda,
  },
  provisionedDuration: {
    usd: 0.0000077778,
    unit: 'GB-second of a function in a provisioned environment',
    source: lambda,
  },
  dynamodbWrites: { usd: 0.625, unit: 'million write units', source: dynamodb },
  dynamodbReads: { usd: 0.125, unit: 'million read units', source: dynamodb },
  dynamodbStorage: { usd: 0.25, unit: 'GB-month of a table or an index', source: dynamodb },
  dynamodbBackups: {
    usd: 0.2,
    unit: 'GB-month of backups of a table, without its indexes',
    source: dynamodb,
  },
  logIngestion: { usd: 0.5, unit: 'GB of log lines', source: cloudwatch },
  logStorage: { usd: 0.03, unit: 'GB-month of log lines, compressed', source: cloudwatch },
  metrics: {
    usd: 0.3,
    unit: 'metric, for a month in each hour of which it is published',
    source: cloudwatch,
  },
  alarmMetrics: { usd: 0.1, unit: 'metric that an alarm refers to, per month', source: cloudwatch },
  dashboards: { usd: 3, unit: 'dashboard per month', source: cloudwatch },
  secretMonths: { usd: 0.4, unit: 'secret per month', source: secretsManager },
  secretReads: { usd: 5, unit: 'million reads of a secret', source: secretsManager },
  queueRequests: {
    usd: 0.4,
    unit: 'million calls to a queue',
    source: 'https://aws.amazon.com/sqs/pricing/',
  },
  restRequests: {
    usd: 3.5,
    unit: 'million requests to the REST API, which count a streamed response once per 10 MB',
    source: 'https://aws.amazon.com/api-gateway/pricing/',
  },
  egress: { usd: 0.09, unit: 'GB to the internet', source: ec2 },
  instances: { usd: 0.0725, unit: 'hour of a c7g.large (2 vCPUs, 4 GB)', source: ec2 },
  instanceManagement: { usd: 0.15, unit: 'dollar of managed instances', source: lambda },
  natGateways: { usd: 0.045, unit: 'hour of a NAT gateway', source: vpc },
  natTraffic: { usd: 0.045, unit: 'GB through a NAT gateway', source: vpc },
} as const satisfies Record<string, ListPrice>;

/** AWS's convention for monthly prices. */
export const hoursPerMonth = 730;
export const secondsPerMonth = hoursPerMonth * hourSeconds;

/** Rounds to the millionth of a dollar, which hides floating-point noise. */
export function toMicroDollars(usd: number): number {
  return Math.round(usd * 1e6) / 1e6;
}

export function priceTable(): string {
  const all: ListPrice[] = Object.values(prices);
  const format = { minimumFractionDigits: 2, maximumFractionDigits: 10 };
  return markdownTable(
    `List prices as of ${pricesAsOf}`,
    ['Dollars', 'Per', 'Source'],
    all.map(({ usd, unit, source }) => [usd.toLocaleString('en', format), unit, source]),
  );
}
