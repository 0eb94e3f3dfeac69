/** Finds a deployed gateway by the outputs of its CloudFormation stack. */

import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';
import { AdminError } from '../errors.ts';
import { type GatewayConnection, openGateway } from './gateway-connection.ts';

interface StackReference {
  stackName: string;
  region?: string;
}

export async function connectToStack(reference: StackReference): Promise<GatewayConnection> {
  const stack = await describeStack(reference);
  const outputs = (stack.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [
    OutputKey,
    OutputValue,
  ]);
  const client = clientConfig(reference);
  return openGateway({
    outputs: Object.fromEntries(outputs),
    source: `The stack "${reference.stackName}"`,
    dynamodb: client,
    secretsManager: client,
    sqs: client,
    cloudWatchLogs: client,
  });
}

/** An omitted region, unlike an undefined one, is taken from the environment by the SDK. */
function clientConfig({ region }: StackReference): { region?: string } {
  return region === undefined ? {} : { region };
}

async function describeStack(reference: StackReference): Promise<Stack> {
  const client = new CloudFormationClient(clientConfig(reference));
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: reference.stackName }));
    const stack = Stacks?.[0];
    if (stack !== undefined) return stack;
  } catch (error) {
    if (!isMissingStack(error)) throw toAdminError(error);
  }
  const place = reference.region ?? 'the configured region';
  throw new AdminError(
    `There is no stack "${reference.stackName}" in ${place}: check --stack, --region and the AWS account`,
  );
}

function isMissingStack(error: unknown): boolean {
  return error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message);
}

function toAdminError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.message === 'Region is missing') {
    return new AdminError('Which region is the stack in? Say --region REGION, or set AWS_REGION');
  }
  if (error.name === 'CredentialsProviderError') {
    return new AdminError(
      'There are no AWS credentials: sign in (aws sso login, say) or set AWS_PROFILE, then try again',
    );
  }
  return error;
}
