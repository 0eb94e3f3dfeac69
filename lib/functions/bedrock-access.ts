/** Lets a function call the models of Bedrock with its role. */
import { Stack, Token, Validations } from 'aws-cdk-lib';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import type { GatewayFunction } from './gateway-function.ts';

/**
 * Only when the operator has named the provider: a gateway that does not use Bedrock may not either. Which models an
 * account can use is up to the account, and which of them is called up to the request.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-prereq.html
 */
export function grantBedrock(fn: GatewayFunction, { bedrock }: ProviderSettingsByName): void {
  if (bedrock === undefined) return;
  const stack = Stack.of(fn);
  const { partition, account } = stack;
  const place = { partition, account, region: bedrock.region ?? stack.region };
  const { models, own } = resourcesIn(place);
  fn.allow({
    // Converse and ConverseStream have no actions of their own.
    actions: ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'],
    resources: [models, own],
  });
  fn.allow({ actions: ['bedrock:ApplyGuardrail'], resources: [own] });
  // The role stands beside the function.
  Validations.of(fn.node.scope ?? fn).acknowledge(
    ...Object.values(resourcesIn(inFindings(place))).map((resource) => ({
      id: `AwsSolutions-IAM5[Resource::${resource}]`,
      reason: 'The request names the model, and each request is priced and logged.',
    })),
  );
}

interface Place {
  partition: string;
  region: string;
  account: string;
}

function resourcesIn({ partition, region, account }: Place) {
  return {
    // Of every region, since an inference profile sends a request to several, and of none, as for global ones.
    models: `arn:${partition}:bedrock:*::foundation-model/*`,
    // Inference profiles, provisioned and custom models, prompt routers, guardrails.
    own: `arn:${partition}:bedrock:${region}:${account}:*`,
  };
}

/** As the checks of synth write what is not known before the deploy. */
function inFindings({ partition, region, account }: Place): Place {
  const written = (value: string, name: string) => (Token.isUnresolved(value) ? `<AWS::${name}>` : value);
  return {
    partition: written(partition, 'Partition'),
    region: written(region, 'Region'),
    account: written(account, 'AccountId'),
  };
}
