import { SecretValue, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { Grantee } from './grantee.ts';
import { denyInsecureTransport, retainAfterCreation } from './retained.ts';

export class ProviderSecret extends Secret {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      description: 'Provider credentials of the AI gateway: {"<provider>": {"api_key": "..."}}',
      // Do not change this value: CloudFormation would overwrite the stored credentials with it.
      secretStringValue: SecretValue.unsafePlainText('{}'),
      removalPolicy: retainAfterCreation,
    });
    this.addToResourcePolicy(denyInsecureTransport('secretsmanager'));
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'Providers issue these keys and have no API to rotate them. The chat function picks up a new value without a deployment.',
    });
  }

  grantReadCredentials(fn: Grantee): void {
    fn.addEnvironment('PROVIDER_SECRET_ARN', this.secretArn);
    fn.allow({ actions: ['secretsmanager:GetSecretValue'], resources: [this.secretArn] });
  }
}
