import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { findCredentialProblem, isCallError } from '#cli/connection/aws-errors.ts';
import type { AwsSettings } from '#cli/connection/aws-settings.ts';
import type { Finding } from './check.ts';

interface Caller {
  finding: Finding;
  /** `null` if AWS does not accept the credentials, or does not respond. */
  accountId: string | null;
}

/** Everybody with credentials may ask AWS who they are, so without a response no other check can succeed. */
export async function identifyCaller(aws: AwsSettings): Promise<Caller> {
  const { clientConfig, region, regionSource } = aws;
  try {
    const { Account = '' } = await new STSClient(clientConfig).send(new GetCallerIdentityCommand());
    const message = `Account ${Account}, region ${region} (${regionSource})`;
    return { finding: { status: 'ok', message }, accountId: Account };
  } catch (error) {
    const problem = findCredentialProblem(error, aws);
    if (problem !== null) return { finding: { status: 'fail', ...problem }, accountId: null };
    if (!isCallError(error)) throw error;
    const message = `AWS STS did not respond in ${region} (${regionSource}): ${error.name}: ${error.message}`;
    return {
      finding: { status: 'fail', message, action: 'Check the region and the network' },
      accountId: null,
    };
  }
}
