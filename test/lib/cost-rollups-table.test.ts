import { expect, it } from 'vitest';
import { synthesizeGateway } from './synthesized-gateway.ts';

const gateway = synthesizeGateway();

it('has a partition and a sort key and nothing else: no index, no stream, no expiry', () => {
  const { Properties } = gateway.resource('CostRollups');

  expect(Properties.KeySchema).toEqual([
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ]);
  expect(Properties).not.toHaveProperty('GlobalSecondaryIndexes');
  expect(Properties).not.toHaveProperty('StreamSpecification');
  expect(Properties).not.toHaveProperty('TimeToLiveSpecification');
});
