import { describe, expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway();

describe('Page bucket', () => {
  const bucket = gateway.resource('Dashboard/Page');

  it('is private and encrypted, and deleted with its objects', () => {
    expect(bucket).toMatchObject({
      DeletionPolicy: 'Delete',
      Properties: {
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
        },
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
      },
    });
    const [emptied] = gateway.ofType('Custom::S3AutoDeleteObjects');
    expect(gateway.readable(emptied?.resource.Properties.BucketName)).toBe('Dashboard/Page');
  });

  it('is read by the distribution alone, over TLS', () => {
    const { Statement } = gateway.resource('Dashboard/Page/Policy').Properties.PolicyDocument as {
      Statement: { Effect: string; Action: unknown; Principal: object; Condition?: Record<string, object> }[];
    };
    const statements = Statement.map(({ Effect, Action, Principal, Condition = {} }) => ({
      Effect,
      Action,
      Principal: gateway.readableValues(Principal),
      Condition: Object.values(Condition).map((values) => gateway.readableValues(values)),
    }));

    expect(statements).toEqual([
      {
        Effect: 'Deny',
        Action: 's3:*',
        Principal: { AWS: '*' },
        Condition: [{ 'aws:SecureTransport': 'false' }],
      },
      {
        Effect: 'Allow',
        Action: ['s3:DeleteObject*', 's3:GetBucket*', 's3:List*', 's3:PutBucketPolicy'],
        Principal: { AWS: 'Custom::S3AutoDeleteObjectsCustomResourceProvider/Role.Arn' },
        Condition: [],
      },
      {
        Effect: 'Allow',
        Action: 's3:GetObject',
        Principal: { Service: 'cloudfront.amazonaws.com' },
        Condition: [
          {
            'AWS:SourceArn':
              'arn:AWS::Partition:cloudfront::AWS::AccountId:distribution/Dashboard/Site/Distribution',
          },
        ],
      },
    ]);
  });
});

describe('Page deployment', () => {
  const [assets, page] = gateway.ofType('Custom::CDKBucketDeployment').map(({ path, resource }) => {
    const {
      SourceObjectKeys,
      SystemMetadata,
      ServiceToken: _,
      SourceBucketNames: __,
      ...properties
    } = resource.Properties;
    const dependencies = resource.DependsOn?.map((Ref) => gateway.readable({ Ref }));
    return { path, SourceObjectKeys, SystemMetadata, dependencies, ...gateway.readableValues(properties) };
  });

  it('uploads the assets, which browsers keep and which are never deleted', () => {
    expect(assets).toMatchObject({
      DestinationBucketName: 'Dashboard/Page',
      Exclude: '*',
      Include: 'assets/*',
      Prune: 'false',
      SystemMetadata: { 'cache-control': 'public, max-age=31536000, immutable' },
    });
  });

  it('then replaces the page, which is not cached', () => {
    expect(page).toMatchObject({
      SourceObjectKeys: assets?.SourceObjectKeys,
      DestinationBucketName: 'Dashboard/Page',
      Exclude: 'assets/*',
      Prune: 'true',
      SystemMetadata: { 'cache-control': 'no-cache' },
    });
    expect(page).not.toHaveProperty('Include');
    expect(page?.dependencies).toContain(assets?.path);
  });

  it('waits for no invalidation, which would roll back the stack if it did not end', () => {
    expect([assets, page].flatMap((deployment) => Object.keys(deployment ?? {}))).not.toContain(
      'DistributionId',
    );
    const services = gateway
      .permissionsOf('Custom::CDKBucketDeployment8693BB64968944B69AAFB0CC9EB8756C')
      .map((line) => line.split(':')[0]);
    expect([...new Set(services)]).toEqual(['logs', 's3']);
  });

  it('may write only to the bucket, and to its log group', () => {
    const { Role } = gateway.resource(
      'Custom::CDKBucketDeployment8693BB64968944B69AAFB0CC9EB8756C',
    ).Properties;
    const policy = gateway.resource('Dashboard/PageDeployment/Role/DefaultPolicy').Properties
      .PolicyDocument as {
      Statement: { Action: string[]; Resource: unknown }[];
    };
    const writes = policy.Statement.filter(({ Action }) =>
      Action.some((action) => /Put|Delete/.test(action)),
    );

    expect(gateway.readable(Role)).toBe('Dashboard/PageDeployment/Role.Arn');
    expect(writes.map(({ Resource }) => gateway.readable(Resource))).toEqual([
      'Dashboard/PageDeployment/LogGroup.Arn',
      'Dashboard/Page.Arn, Dashboard/Page.Arn/*',
    ]);
  });
});

describe("Log groups of CDK's functions", () => {
  it.each([
    ['Custom::S3AutoDeleteObjectsCustomResourceProvider/Handler', 'Dashboard/Page/AutoDeleteLogGroup'],
    ['Custom::CDKBucketDeployment8693BB64968944B69AAFB0CC9EB8756C', 'Dashboard/PageDeployment/LogGroup'],
  ])('expire for %s', (path, logGroup) => {
    const { LoggingConfig } = gateway.resource(path).Properties;

    expect(gateway.readable((LoggingConfig as { LogGroup: unknown }).LogGroup)).toBe(logGroup);
  });
});
