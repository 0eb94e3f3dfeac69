import { CloudFrontClient, ListDistributionsCommand } from '@aws-sdk/client-cloudfront';
import type { Check } from './check.ts';

/**
 * No API tells whether AWS has verified an account for CloudFront:
 * https://github.com/aws-samples/aws-cdk-examples/issues/279
 */
export const distribution: Check = {
  name: 'cloudfront',
  permissions: ['cloudfront:ListDistributions'],
  applies: ({ dashboard }) => dashboard,
  async run({ aws }) {
    const client = new CloudFrontClient(aws.clientConfig);
    const { DistributionList } = await client.send(new ListDistributionsCommand({ MaxItems: 1 }));
    if ((DistributionList?.Quantity ?? 0) > 0) {
      return { status: 'ok', message: 'The account has a CloudFront distribution' };
    }
    return {
      status: 'unknown',
      message:
        'The account has no CloudFront distribution yet: accounts that AWS has not verified are refused ("Your account must be verified before you can add new CloudFront resources"), which fails the deployment after minutes',
      action: 'If it is refused, open a support case, or deploy with the setting dashboard: false until then',
    };
  },
};
