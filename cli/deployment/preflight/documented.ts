/** Conditions that no API of AWS tells: AWS's documentation does, as far as it goes. */

import type { Check } from './check.ts';

/** The day on which the sources below said so. */
const asOf = '2026-11-28';

/**
 * Regions with function URLs. AWS lists those without: ap-south-2, ap-southeast-4, ap-southeast-5, ca-west-1, eu-south-2,
 * eu-central-2, il-central-1 and me-central-1 (https://docs.aws.amazon.com/lambda/latest/dg/urls-configuration.html),
 * and "Lambda response streaming is not yet available in all AWS Regions", without naming them
 * (https://docs.aws.amazon.com/lambda/latest/dg/configuration-response-streaming.html). Newer regions are in neither list.
 * API Gateway streams responses in all regions:
 * https://aws.amazon.com/about-aws/whats-new/2025/11/api-gateway-response-streaming-rest-apis
 */
const streamingRegions = [
  'us-east-1',
  'us-east-2',
  'us-west-1',
  'us-west-2',
  'ca-central-1',
  'sa-east-1',
  'af-south-1',
  'eu-central-1',
  'eu-north-1',
  'eu-south-1',
  'eu-west-1',
  'eu-west-2',
  'eu-west-3',
  'me-south-1',
  'ap-east-1',
  'ap-northeast-1',
  'ap-northeast-2',
  'ap-northeast-3',
  'ap-south-1',
  'ap-southeast-1',
  'ap-southeast-2',
  'ap-southeast-3',
];

export const streaming: Check = {
  name: 'streaming',
  permissions: [],
  async run({ aws: { region } }) {
    if (streamingRegions.includes(region)) {
      return {
        status: 'ok',
        message: `Lambda and API Gateway stream responses in ${region} (as of ${asOf})`,
      };
    }
    return {
      status: 'unknown',
      message: `It is not known whether Lambda has function URLs and response streaming in ${region} (as of ${asOf})`,
      action: 'Look both up under https://builder.aws.com/build/capabilities',
    };
  },
};

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-access.html */
export const bedrockModels: Check = {
  name: 'bedrock',
  permissions: [],
  applies: ({ providers }) => providers.bedrock !== undefined,
  run: async () => ({
    status: 'unknown',
    message:
      'Bedrock refuses models of third parties until somebody with aws-marketplace:Subscribe has called them, which the gateway cannot',
    action: 'As an administrator, call each such model once in the Bedrock playground',
  }),
};
