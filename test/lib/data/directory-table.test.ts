import { expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway();

it('finds a key by its hash, and the keys of an organization by the index', () => {
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
