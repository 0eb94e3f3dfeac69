import { describe, expect, it } from 'vitest';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { synthesizeGateway } from '../synthesized-gateway.ts';

/** The attributes that the stores write: a name that differs here would leave an index empty. */
const item = toItem(logEntry({ status: 429, prompt_id: 'p', session_id: 's', user_id: 'u' }), {
  writtenAtMs: 0,
  expiresAtSeconds: 0,
});
const gateway = synthesizeGateway();

describe('the log entries', () => {
  const { Properties } = gateway.resource('LogEntries');

  it('are sorted by time within a shard of an organization, and in an index for each thing that is asked for', () => {
    const indexOn = (IndexName: string, partitionKey: string) => ({
      IndexName,
      KeySchema: [
        { AttributeName: partitionKey, KeyType: 'HASH' },
        { AttributeName: 'id', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    });

    expect(Properties.KeySchema).toEqual([
      { AttributeName: 'organization_shard', KeyType: 'HASH' },
      { AttributeName: 'id', KeyType: 'RANGE' },
    ]);
    expect(Properties.GlobalSecondaryIndexes).toEqual([
      indexOn('by-model', 'model_key'),
      indexOn('by-provider', 'provider_key'),
      indexOn('by-prompt', 'prompt_key'),
      indexOn('by-session', 'session_key'),
      indexOn('by-user', 'user_key'),
      indexOn('by-status', 'status_key'),
    ]);
  });

  it('have every key and the expiry as attributes of an item', () => {
    const definitions = Properties.AttributeDefinitions as { AttributeName: string }[];
    const names = definitions.map(({ AttributeName }) => AttributeName);

    expect(Object.keys(item)).toEqual(expect.arrayContaining([...names, 'expires_at']));
    expect(names).toHaveLength(8);
  });

  it('expire, and are handed to the rollup as they are and as they were before', () => {
    expect(Properties.TimeToLiveSpecification).toEqual({ AttributeName: 'expires_at', Enabled: true });
    expect(Properties.StreamSpecification).toMatchObject({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
  });
});

it('the directory finds a key by its hash, and the keys of an organization by the index', () => {
  const { Properties } = gateway.resource('Directory');

  expect(Properties.KeySchema).toEqual([
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ]);
  expect(Properties.GlobalSecondaryIndexes).toEqual([
    {
      IndexName: 'by-organization',
      KeySchema: [
        { AttributeName: 'organization_id', KeyType: 'HASH' },
        { AttributeName: 'id', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
  ]);
  expect(Properties.AttributeDefinitions).toEqual([
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'organization_id', AttributeType: 'S' },
    { AttributeName: 'id', AttributeType: 'S' },
  ]);
});

describe('the cost rollups', () => {
  const { Properties } = gateway.resource('CostRollups');

  it('has a partition and a sort key, no index and no stream', () => {
    expect(Properties.KeySchema).toEqual([
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ]);
    expect(Properties).not.toHaveProperty('GlobalSecondaryIndexes');
    expect(Properties).not.toHaveProperty('StreamSpecification');
  });

  it('lets items expire that say when', () => {
    expect(Properties.TimeToLiveSpecification).toEqual({ AttributeName: 'expires_at', Enabled: true });
  });
});

const tlsOnly = {
  Version: '2012-10-17',
  Statement: [
    {
      Sid: 'RefuseWithoutTls',
      Effect: 'Deny',
      Principal: { AWS: '*' },
      Action: 'dynamodb:*',
      Resource: '*',
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    },
  ],
};

describe('every table', () => {
  const tables = gateway.ofType('AWS::DynamoDB::Table');

  it('is one of the three', () => {
    expect(tables.map(({ path }) => path)).toEqual(['Directory', 'LogEntries', 'CostRollups']);
  });

  it.each(tables)('$path is paid by request, backed up, and safe from deploys', ({ resource }) => {
    expect(resource).toMatchObject({
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      },
    });
  });

  it.each(tables)('$path refuses callers without TLS, and says nothing of others', ({ resource }) => {
    expect(resource.Properties.ResourcePolicy).toEqual({ PolicyDocument: tlsOnly });
  });

  it.each(tables.filter(({ resource }) => resource.Properties.StreamSpecification !== undefined))(
    '$path has a stream that does so too',
    ({ resource }) => {
      expect(resource.Properties.StreamSpecification).toEqual({
        StreamViewType: 'NEW_AND_OLD_IMAGES',
        ResourcePolicy: { PolicyDocument: tlsOnly },
      });
    },
  );
});
