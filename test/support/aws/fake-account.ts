/** The environment of an AWS account with a deployed gateway, whose services run on loopback. */
import type { AdminFixture } from '../admin-command.ts';
import type { FakeResponse } from './fake-service.ts';

interface AccountServices {
  gateway: AdminFixture;
  cloudFormation: string;
  cloudWatchLogs?: string;
}

/** Environment variables without credentials, and without the AWS configuration of this machine. */
export function accountEnvironment(services: AccountServices): Record<string, string> {
  const { gateway, cloudFormation, cloudWatchLogs } = services;
  return {
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation,
    AWS_ENDPOINT_URL_DYNAMODB: gateway.database.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: gateway.secretsManager.endpoint,
    AWS_ENDPOINT_URL_SQS: gateway.queues.endpoint,
    AWS_ENDPOINT_URL_STS: gateway.sts.endpoint,
    ...(cloudWatchLogs !== undefined && { AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: cloudWatchLogs }),
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  };
}

export const awsCredentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };

export function describeStacksResponse(outputs: Record<string, string>): FakeResponse {
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return {
    body: `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult>
      <Stacks><member><StackName>Production</StackName><StackStatus>CREATE_COMPLETE</StackStatus>
      <CreationTime>2026-01-01T00:00:00.000Z</CreationTime><Outputs>${members.join('')}</Outputs></member></Stacks>
      </DescribeStacksResult></DescribeStacksResponse>`,
  };
}
