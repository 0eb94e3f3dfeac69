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
  const config = clientConfig(reference);
  return openGateway({
    outputs: Object.fromEntries(outputs),
    source: `Stack "${reference.stackName}"`,
    dynamodb: config,
    secretsManager: config,
    sqs: config,
    sts: config,
    cloudWatchLogs: config,
  });
}

/** Leaves `region` out instead of passing `undefined`: only then does the SDK read it from the environment. */
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
  const region = reference.region ?? 'the configured region';
  throw new AdminError(
    `Stack "${reference.stackName}" was not found in ${region}: check --stack, --region and the AWS account`,
  );
}

function isMissingStack(error: unknown): boolean {
  return error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message);
}

function toAdminError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.message === 'Region is missing') {
    return new AdminError('No AWS region is configured: pass --region REGION or set AWS_REGION');
  }
  if (error.name === 'CredentialsProviderError') {
    return new AdminError(
      'No AWS credentials were found: sign in (for example with "aws sso login") or set AWS_PROFILE',
    );
  }
  return error;
}
