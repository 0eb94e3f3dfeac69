import { describe, expect, it } from 'vitest';
import { synthesizeGateway } from './synthesized-gateway.ts';

const gateway = synthesizeGateway();
const { Properties } = gateway.resource('LogEntries');

describe('the log entries', () => {
  it('are sorted by time within an organization, and by model and provider in the indexes', () => {
    const indexOn = (IndexName: string, partitionKey: string) => ({
      IndexName,
      KeySchema: [
        { AttributeName: partitionKey, KeyType: 'HASH' },
        { AttributeName: 'id', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    });

    expect(Properties.KeySchema).toEqual([
      { AttributeName: 'organization_id', KeyType: 'HASH' },
      { AttributeName: 'id', KeyType: 'RANGE' },
    ]);
    expect(Properties.GlobalSecondaryIndexes).toEqual([
      indexOn('by-model', 'organization_model'),
      indexOn('by-provider', 'organization_provider'),
    ]);
    expect(Properties.AttributeDefinitions).toEqual([
      { AttributeName: 'organization_id', AttributeType: 'S' },
      { AttributeName: 'id', AttributeType: 'S' },
      { AttributeName: 'organization_model', AttributeType: 'S' },
      { AttributeName: 'organization_provider', AttributeType: 'S' },
    ]);
  });

  it('expire, and are handed to the rollup as they are written', () => {
    expect(Properties.TimeToLiveSpecification).toEqual({ AttributeName: 'expires_at', Enabled: true });
    expect(Properties.StreamSpecification).toEqual({ StreamViewType: 'NEW_IMAGE' });
  });
});
