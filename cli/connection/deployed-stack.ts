import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';
import { AdminError } from '../errors.ts';
import { type AwsOptions, type AwsSettings, readAwsSettings } from './aws-settings.ts';
import { type GatewayConnection, openGateway } from './gateway-connection.ts';

export interface StackReference extends AwsOptions {
  stackName: string;
}

export async function connectToStack(
  reference: StackReference,
  environment: NodeJS.ProcessEnv,
): Promise<GatewayConnection> {
  const { outputs, aws } = await readStack(reference, environment);
  const { clientConfig } = aws;
  return openGateway({
    outputs,
    source: nameOf(reference),
    dynamodb: clientConfig,
    secretsManager: clientConfig,
    sqs: clientConfig,
    sts: clientConfig,
    cloudWatchLogs: clientConfig,
  });
}

interface DeployedStack {
  outputs: Record<string, string>;
  aws: AwsSettings;
}

/** Throws an `AdminError` for a stack that does not exist, an unknown profile, and missing credentials. */
async function readStack(reference: StackReference, environment: NodeJS.ProcessEnv): Promise<DeployedStack> {
  const aws = await readAwsSettings(reference, environment);
  const { Outputs = [] } = await describeStack(reference.stackName, aws);
  const outputs = Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]);
  return { outputs: Object.fromEntries(outputs), aws };
}

function nameOf({ stackName }: StackReference): string {
  return `Stack "${stackName}"`;
}

async function describeStack(stackName: string, aws: AwsSettings): Promise<Stack> {
  const client = new CloudFormationClient(aws.clientConfig);
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
    const stack = Stacks?.[0];
    if (stack !== undefined) return stack;
  } catch (error) {
    if (!isMissingStack(error)) throw toAdminError(error, aws);
  }
  throw new AdminError(
    `Stack "${stackName}" was not found in ${aws.region} (${aws.regionSource}): check --stack, --region, --profile and the AWS account`,
  );
}

function isMissingStack(error: unknown): boolean {
  return error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message);
}

function toAdminError(error: unknown, { profile }: AwsSettings): unknown {
  if (!(error instanceof Error) || error.name !== 'CredentialsProviderError') return error;
  return new AdminError(
    profile === undefined
      ? 'No AWS credentials were found: sign in (for example with "aws sso login"), or pass --profile NAME'
      : `The AWS profile "${profile}" has no valid credentials: sign in (for example with "aws sso login --profile ${profile}")`,
  );
}
