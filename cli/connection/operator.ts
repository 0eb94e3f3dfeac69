import type { STSClientConfig } from '@aws-sdk/client-sts';
import type { Actor } from '#lambdas/audit/record.ts';

/** The AWS identity that runs the command, as its audit records name it. It needs no permission. */
export async function readOperator(config: STSClientConfig): Promise<Actor> {
  // Imported on demand: commands that change nothing do not need the STS client.
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const client = new STSClient(config);
  const { Arn } = await client.send(new GetCallerIdentityCommand());
  client.destroy();
  if (Arn === undefined) throw new Error('AWS STS did not return the ARN of the caller');
  return { type: 'operator', id: Arn, name: null, email: null };
}
