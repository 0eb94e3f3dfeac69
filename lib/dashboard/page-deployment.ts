/** Uploads the built page. */

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import {
  AssetHashType,
  DefaultStackSynthesizer,
  DockerImage,
  Duration,
  RemovalPolicy,
  Stack,
  Validations,
} from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Bucket, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, type ISource, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct } from 'constructs';
import { builtPageDirectory } from './page-build.ts';

interface PageDeploymentProps {
  bucket: Bucket;
  logRetention: RetentionDays;
}

/** Vite writes all files with a hash in their name into this folder. */
const assets = 'assets/*';

export class PageDeployment extends Construct {
  constructor(scope: Construct, id: string, { bucket, logRetention }: PageDeploymentProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'LogGroup', {
      retention: logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // The managed policy of CDK's default role would allow writing to all log groups of the account.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    const uploader = { sources: [builtPage()], destinationBucket: bucket, role, logGroup };

    const assetFiles = new BucketDeployment(this, 'Assets', {
      ...uploader,
      exclude: ['*'],
      include: [assets],
      cacheControl: [
        CacheControl.setPublic(),
        CacheControl.maxAge(Duration.days(365)),
        CacheControl.immutable(),
      ],
      // Open pages still load chunks of the version before.
      prune: false,
    });
    const otherFiles = new BucketDeployment(this, 'Page', {
      ...uploader,
      exclude: [assets],
      // Without an invalidation, for which the uploader would wait: one that does not end rolls the whole stack back.
      cacheControl: [CacheControl.noCache()],
    });
    // A page must not be served before its assets.
    otherFiles.node.addDependency(assetFiles);
    this.acknowledgeFindings(bucket);
  }

  private acknowledgeFindings(bucket: Bucket): void {
    const stack = Stack.of(this);
    Validations.of(this).acknowledge(
      ...wildcards(stack, bucket).map((wildcard) => ({
        id: `AwsSolutions-IAM5[${wildcard}]`,
        reason:
          "CDK's uploader reads the assets of deployments and writes all objects of this bucket, for which CDK grants these wildcards.",
      })),
    );
    const uploader = stack.node.children.find(({ node }) =>
      node.id.startsWith('Custom::CDKBucketDeployment'),
    );
    if (uploader === undefined) throw new Error('The stack has no function of BucketDeployment');
    Validations.of(uploader).acknowledge({
      id: 'AwsSolutions-L1',
      reason: 'CDK chooses the runtime of its uploader. It runs only during deployments.',
    });
  }
}

function builtPage(): ISource {
  return Source.asset(join(import.meta.dirname, '../../dashboard'), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('unused'),
      local: {
        tryBundle(outputDirectory) {
          cpSync(builtPageDirectory(), outputDirectory, { recursive: true });
          return true;
        },
      },
    },
  });
}

/** The wildcards of CDK's grants, as cdk-nag writes them in its findings. */
function wildcards(stack: Stack, bucket: Bucket): string[] {
  const actions = ['GetBucket', 'GetObject', 'List', 'DeleteObject', 'Abort'];
  const qualifier = stack.synthesizer.bootstrapQualifier ?? DefaultStackSynthesizer.DEFAULT_QUALIFIER;
  const assetBucket = `cdk-${qualifier}-assets-<AWS::AccountId>-<AWS::Region>`;
  return [
    ...actions.map((action) => `Action::s3:${action}*`),
    `Resource::arn:<AWS::Partition>:s3:::${assetBucket}/*`,
    `Resource::<${stack.getLogicalId(bucket.node.defaultChild as CfnBucket)}.Arn>/*`,
  ];
}
