import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';
import { AdminError } from '../errors.ts';
import { isMissingStack, toAdminError } from './aws-errors.ts';
import { type AwsOptions, type AwsSettings, readAwsSettings } from './aws-settings.ts';
import { type GatewayConnection, openGateway } from './gateway-connection.ts';
import type { GatewayOutputs } from './gateway-outputs.ts';

interface StackReference extends AwsOptions {
  stackName: string;
}

interface DeployedStack extends GatewayOutputs {
  /** With the region of the stack. */
  clientConfig: AwsSettings['clientConfig'];
}

/** Throws like `readStack`. */
export async function connectToStack(
  reference: StackReference,
  environment: NodeJS.ProcessEnv,
): Promise<GatewayConnection> {
  const { clientConfig, ...gateway } = await readStack(reference, environment);
  return openGateway({
    ...gateway,
    dynamodb: clientConfig,
    secretsManager: clientConfig,
    sqs: clientConfig,
    sts: clientConfig,
    ses: clientConfig,
    cloudWatchLogs: clientConfig,
  });
}

/** Throws an `AdminError` for a stack or a profile that does not exist, and without credentials. */
export async function readStack(
  { stackName, ...options }: StackReference,
  environment: NodeJS.ProcessEnv,
): Promise<DeployedStack> {
  const aws = await readAwsSettings(options, environment);
  const { Outputs = [] } = await describeStack(stackName, aws);
  const outputs = Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]);
  return {
    outputs: Object.fromEntries(outputs),
    source: `Stack "${stackName}"`,
    clientConfig: aws.clientConfig,
  };
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
