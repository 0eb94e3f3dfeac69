import { describe, expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway();

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
