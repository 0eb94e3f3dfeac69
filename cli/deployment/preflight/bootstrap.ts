import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { nullIfMissing } from '#cli/connection/aws-errors.ts';
import type { Check, Deployment } from './check.ts';
import { defaultQualifier } from './settings.ts';

/** The version that the rule `CheckBootstrapVersion` of the synthesized template requires. */
export const requiredBootstrapVersion = 6;

export const bootstrap: Check = {
  name: 'bootstrap',
  permissions: ['ssm:GetParameter'],
  async run(deployment) {
    const version = await readVersion(deployment);
    const { region } = deployment.aws;
    if (version === null) {
      const message = `The CDK has not been bootstrapped in ${region}`;
      return { status: 'fail', message, action: `Run ${bootstrapCommand(deployment)}` };
    }
    if (version < requiredBootstrapVersion) {
      const message = `The CDK's bootstrap stack has version ${version} in ${region}, but ${requiredBootstrapVersion} is required`;
      return { status: 'fail', message, action: `Run ${bootstrapCommand(deployment)} again` };
    }
    return { status: 'ok', message: `The CDK's bootstrap stack has version ${version}` };
  },
};

/** Returns `null` without a bootstrap stack. */
async function readVersion({ aws, bootstrapQualifier }: Deployment): Promise<number | null> {
  const Name = `/cdk-bootstrap/${bootstrapQualifier}/version`;
  const call = new SSMClient(aws.clientConfig).send(new GetParameterCommand({ Name }));
  const found = await nullIfMissing(call, /^ParameterNotFound$/);
  return found === null ? null : Number(found.Parameter?.Value);
}

function bootstrapCommand({ accountId, aws, bootstrapQualifier }: Deployment): string {
  const environment = `aws://${accountId}/${aws.region}`;
  const isDefault = bootstrapQualifier === defaultQualifier;
  return `npx cdk bootstrap ${environment}${isDefault ? '' : ` --qualifier ${bootstrapQualifier}`}`;
}
