import { APIGatewayClient, GetAccountCommand } from '@aws-sdk/client-api-gateway';
import type { Check } from './check.ts';

/** API Gateway writes the logs of all APIs of an account and region with one role, which each gateway stack sets. */
export const logRole: Check = {
  name: 'api log role',
  permissions: ['apigateway:GET', 'cloudformation:DescribeStacks', 'cloudformation:ListStackResources'],
  async run({ aws, listStackResources }) {
    const client = new APIGatewayClient(aws.clientConfig);
    const { cloudwatchRoleArn } = await client.send(new GetAccountCommand());
    if (!cloudwatchRoleArn) {
      return {
        status: 'ok',
        message: 'API Gateway has no logging role in this region: the deployment sets one',
      };
    }
    const name = cloudwatchRoleArn.slice(cloudwatchRoleArn.lastIndexOf('/') + 1);
    const resources = await listStackResources();
    if (resources.some(({ type, physicalId }) => type === 'AWS::IAM::Role' && physicalId === name)) {
      return { status: 'ok', message: "API Gateway's logging role is that of the stack" };
    }
    return {
      status: 'warn',
      message: `The deployment replaces API Gateway's logging role ${cloudwatchRoleArn} for all APIs of the account in this region`,
      action:
        'Other APIs then log with the role of the stack: keep it after "cdk destroy", or set the old one again with aws apigateway update-account',
    };
  },
};
