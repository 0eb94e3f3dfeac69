import { describe, expect, it } from 'vitest';
import { synthesizeGateway } from './synthesized-gateway.ts';

const gateway = synthesizeGateway();

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
});
