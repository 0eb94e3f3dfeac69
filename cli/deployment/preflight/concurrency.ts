/** Lambda's concurrency in the region, and the part of it that the settings reserve. */

import {
  type AccountLimit,
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { chatTimeoutSeconds } from '#lambdas/inference/exchange/limits.ts';
import type { Settings } from '#lib/settings/settings.ts';
import type { Check, Deployment } from './check.ts';

/**
 * The concurrency that must stay unreserved: https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 * In accounts with a low quota Lambda has applied lower minimums, such as 10, 40 and 50, which no API returns:
 * https://github.com/awslabs/fhir-works-on-aws-deployment/issues/691
 * https://github.com/aws-samples/siem-on-amazon-opensearch-service/issues/175
 */
const documentedMinimum = 100;
const observedMinimum = 10;

const raiseQuota = 'Request more in Service Quotas: AWS Lambda, "Concurrent executions" (L-B99A9384)';

export const accountConcurrency: Check = {
  name: 'concurrency',
  permissions: ['lambda:GetAccountSettings'],
  async run({ aws }) {
    const { quota, unreserved } = await readLimits(new LambdaClient(aws.clientConfig));
    if (quota >= documentedMinimum) {
      const message = `The account's quota is ${quota} concurrent executions, of which ${unreserved} are unreserved`;
      return { status: 'ok', message };
    }
    const minutes = Math.ceil(chatTimeoutSeconds / 60);
    return {
      status: 'warn',
      message: `The account's quota is ${quota} concurrent executions: each open stream takes one for up to ${minutes} minutes, and the dashboard, reports and rollups share the rest, or get 503`,
      action: raiseQuota,
    };
  },
};

export const chatConcurrency: Check = {
  name: 'chat concurrency',
  permissions: [
    'lambda:GetAccountSettings',
    'lambda:GetFunctionConcurrency',
    'cloudformation:DescribeStacks',
    'cloudformation:ListStackResources',
  ],
  applies: (settings) => requestedConcurrency(settings) !== null,
  async run(deployment) {
    const requested = requestedConcurrency(deployment.settings);
    if (requested === null) throw new Error('The settings request no concurrency');
    const { setting, executions } = requested;
    const client = new LambdaClient(deployment.aws.clientConfig);
    const { quota, unreserved } = await readLimits(client);
    const remaining = unreserved + (await readOwnReservation(client, deployment)) - executions;

    const message = `${setting} (${executions}) leaves ${remaining} of the account's ${quota} concurrent executions unreserved`;
    if (remaining >= documentedMinimum) return { status: 'ok', message };
    if (remaining < observedMinimum) {
      return {
        status: 'fail',
        message: `${message}, and Lambda requires at least ${observedMinimum}`,
        action: `${raiseQuota}, or lower ${setting}`,
      };
    }
    return {
      status: 'unknown',
      message: `${message}: Lambda requires ${documentedMinimum}, in accounts with a low quota sometimes ${observedMinimum} to 50, and fails the deployment otherwise`,
      action: `${raiseQuota}, or lower ${setting}`,
    };
  },
};

/** Provisioned concurrency is taken from the reserved one if there is any, else from the account's. */
function requestedConcurrency({ chatConcurrency, chatProvisionedConcurrency }: Settings) {
  if (chatConcurrency !== null) return { setting: 'chatConcurrency', executions: chatConcurrency };
  if (chatProvisionedConcurrency === null) return null;
  return { setting: 'chatProvisionedConcurrency', executions: chatProvisionedConcurrency };
}

async function readLimits(client: LambdaClient): Promise<{ quota: number; unreserved: number }> {
  const { AccountLimit } = await client.send(new GetAccountSettingsCommand());
  const read = (name: keyof AccountLimit) => {
    const value = AccountLimit?.[name];
    if (value === undefined) throw new Error(`AWS Lambda did not return the limit ${name}`);
    return value;
  };
  return { quota: read('ConcurrentExecutions'), unreserved: read('UnreservedConcurrentExecutions') };
}

/** The reserved concurrency of the deployed chat function, which an update replaces. */
async function readOwnReservation(client: LambdaClient, { listStackResources }: Deployment): Promise<number> {
  const resources = await listStackResources();
  const chat = resources.find(
    ({ type, logicalId }) => type === 'AWS::Lambda::Function' && /^ChatFunction[0-9A-F]{8}$/.test(logicalId),
  );
  if (chat === undefined) return 0;
  const { ReservedConcurrentExecutions = 0 } = await client.send(
    new GetFunctionConcurrencyCommand({ FunctionName: chat.physicalId }),
  );
  return ReservedConcurrentExecutions;
}
