import { expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway();

it('has a partition and a sort key, no index and no stream', () => {
  const { Properties } = gateway.resource('CostRollups');

  expect(Properties.KeySchema).toEqual([
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ]);
  expect(Properties).not.toHaveProperty('GlobalSecondaryIndexes');
  expect(Properties).not.toHaveProperty('StreamSpecification');
});

it('lets items expire that say when', () => {
  const { Properties } = gateway.resource('CostRollups');

  expect(Properties.TimeToLiveSpecification).toEqual({ AttributeName: 'expires_at', Enabled: true });
});
