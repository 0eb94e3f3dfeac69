import { type CfnResource, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';

interface PageBucketProps {
  logRetention: RetentionDays;
}

/** The built page, which only the distribution reads. It is emptied and deleted with the stack. */
export class PageBucket extends Bucket {
  constructor(scope: Construct, id: string, { logRetention }: PageBucketProps) {
    super(scope, id, {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      autoDeleteObjects: true,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.expireLogs(logRetention);
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'The bucket has only the public code of the dashboard, and only CloudFront may read it.',
    });
  }

  /** Without this log group, Lambda would create one that never expires for the function that empties the bucket. */
  private expireLogs(retention: RetentionDays): void {
    const logGroup = new LogGroup(this, 'AutoDeleteLogGroup', {
      retention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const provider = Stack.of(this).node.findChild('Custom::S3AutoDeleteObjectsCustomResourceProvider');
    const handler = provider.node.findChild('Handler') as CfnResource;
    handler.addPropertyOverride('LoggingConfig', { LogGroup: logGroup.logGroupName });
  }
}
