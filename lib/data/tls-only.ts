/** The statement of a resource's policy that keeps out whoever does not come over TLS, and says nothing of others. */
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';

/**
 * The key is in every request, and a `Bool` does not match where it is missing, so nobody is locked out: the policy can
 * be changed by whoever could change it before.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html#condition-keys-securetransport
 *
 * `service` such as `dynamodb`. The policy is on one resource, and to name it there would be a circle of references.
 */
export function refuseWithoutTls(service: string): PolicyStatement {
  return new PolicyStatement({
    sid: 'RefuseWithoutTls',
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions: [`${service}:*`],
    resources: ['*'],
    conditions: { Bool: { 'aws:SecureTransport': 'false' } },
  });
}
