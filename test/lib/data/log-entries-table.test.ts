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
const { Properties } = gateway.resource('LogEntries');

describe('the log entries', () => {
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
