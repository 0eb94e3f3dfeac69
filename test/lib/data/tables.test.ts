import { describe, expect, it } from 'vitest';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { synthesizeGateway } from '../synthesized-gateway.ts';

/** An item as the stores write it. An index on an attribute that is missing here would stay empty. */
const item = toItem(logEntry({ status: 429, prompt_id: 'p', session_id: 's', user_id: 'u' }), {
  writtenAtMs: 0,
  expiresAtSeconds: 0,
});
const gateway = synthesizeGateway();

describe('LogEntriesTable', () => {
  const { Properties } = gateway.resource('LogEntries');

  it('sorts log entries by time within a shard of an organization and has an index for each filter', () => {
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

  it('has an index of response ids with the setting, and functions that list entries may read it', () => {
    const indexed = synthesizeGateway({ indexResponseIds: true });
    const { GlobalSecondaryIndexes: indexes = [] } = indexed.resource('LogEntries').Properties as {
      GlobalSecondaryIndexes?: unknown[];
    };

    expect(indexes).toHaveLength(7);
    expect(indexes.at(-1)).toEqual({
      IndexName: 'by-response-id',
      KeySchema: [
        { AttributeName: 'organization_shard', KeyType: 'HASH' },
        { AttributeName: 'response_id', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    });
  });

  it('uses only attributes of stored items as keys and expiry', () => {
    const definitions = Properties.AttributeDefinitions as { AttributeName: string }[];
    const names = definitions.map(({ AttributeName }) => AttributeName);

    expect(Object.keys(item)).toEqual(expect.arrayContaining([...names, 'expires_at']));
    expect(names).toHaveLength(8);
  });

  it('expires log entries and streams their new and old images', () => {
    expect(Properties.TimeToLiveSpecification).toEqual({ AttributeName: 'expires_at', Enabled: true });
    expect(Properties.StreamSpecification).toMatchObject({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
  });
});

describe('DirectoryTable', () => {
  const { Properties } = gateway.resource('Directory');

  it('has two keys and no index', () => {
    expect(Properties.KeySchema).toEqual([
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ]);
    expect(Properties).not.toHaveProperty('GlobalSecondaryIndexes');
  });

  it('streams only the keys of changed records', () => {
    expect(Properties.StreamSpecification).toMatchObject({ StreamViewType: 'KEYS_ONLY' });
  });
});

describe('BudgetCountersTable', () => {
  it('has one key, and neither indexes, a stream nor an expiry', () => {
    const { Properties } = gateway.resource('BudgetCounters');

    expect(Properties.KeySchema).toEqual([{ AttributeName: 'counter_key', KeyType: 'HASH' }]);
    expect(Properties.AttributeDefinitions).toEqual([{ AttributeName: 'counter_key', AttributeType: 'S' }]);
    expect(Properties).not.toHaveProperty('GlobalSecondaryIndexes');
    expect(Properties).not.toHaveProperty('StreamSpecification');
    expect(Properties).not.toHaveProperty('TimeToLiveSpecification');
  });
});

describe('ConversationStateTable', () => {
  it('has one key, an expiry, and neither indexes nor a stream', () => {
    const { Properties } = gateway.resource('ConversationState');

    expect(Properties.KeySchema).toEqual([{ AttributeName: 'state_id', KeyType: 'HASH' }]);
    expect(Properties.AttributeDefinitions).toEqual([{ AttributeName: 'state_id', AttributeType: 'S' }]);
    expect(Properties.TimeToLiveSpecification).toEqual({ AttributeName: 'expires_at', Enabled: true });
    expect(Properties).not.toHaveProperty('GlobalSecondaryIndexes');
    expect(Properties).not.toHaveProperty('StreamSpecification');
  });
});

describe('CostRollupsTable', () => {
  const { Properties } = gateway.resource('CostRollups');

  it('creates the cost rollups table without indexes or a stream', () => {
    expect(Properties.KeySchema).toEqual([
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ]);
    expect(Properties).not.toHaveProperty('GlobalSecondaryIndexes');
    expect(Properties).not.toHaveProperty('StreamSpecification');
  });

  it('expires items of the cost rollups table that have the expiry attribute', () => {
    expect(Properties.TimeToLiveSpecification).toEqual({ AttributeName: 'expires_at', Enabled: true });
  });
});

describe('The prices table', () => {
  it('has the model and the scope as keys', () => {
    const { Properties } = gateway.resource('Prices');

    expect(Properties.KeySchema).toEqual([
      { AttributeName: 'model', KeyType: 'HASH' },
      { AttributeName: 'scope', KeyType: 'RANGE' },
    ]);
  });
});

describe('AccountsTable', () => {
  it('has two keys and expires sessions', () => {
    const { Properties } = gateway.resource('Dashboard/Accounts');

    expect(Properties.KeySchema).toEqual([
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ]);
    expect(Properties.TimeToLiveSpecification).toEqual({ AttributeName: 'expires_at', Enabled: true });
    expect(Properties).not.toHaveProperty('GlobalSecondaryIndexes');
  });
});

describe('AuditTrailTable', () => {
  it('sorts the records of an organization by their ids and expires them', () => {
    const { Properties } = gateway.resource('AuditTrail');

    expect(Properties.KeySchema).toEqual([
      { AttributeName: 'organization_id', KeyType: 'HASH' },
      { AttributeName: 'id', KeyType: 'RANGE' },
    ]);
    expect(Properties.TimeToLiveSpecification).toEqual({ AttributeName: 'expires_at', Enabled: true });
    expect(Properties).not.toHaveProperty('GlobalSecondaryIndexes');
  });

  it('exists without the dashboard', () => {
    expect(synthesizeGateway({ dashboard: false }).resource('AuditTrail').Type).toBe('AWS::DynamoDB::Table');
  });
});

const tlsOnly = {
  Version: '2012-10-17',
  Statement: [
    {
      Sid: 'DenyInsecureTransport',
      Effect: 'Deny',
      Principal: { AWS: '*' },
      Action: 'dynamodb:*',
      Resource: '*',
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    },
  ],
};

describe('All tables', () => {
  const tables = gateway.ofType('AWS::DynamoDB::Table');

  it('creates the expected tables', () => {
    expect(tables.map(({ path }) => path)).toEqual([
      'Directory',
      'LogEntries',
      'CostRollups',
      'Prices',
      'BudgetCounters',
      'ConversationState',
      'AuditTrail',
      'Dashboard/Accounts',
    ]);
  });

  it.each(tables)('$path is billed per request, backed up and protected against deletion', ({ resource }) => {
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

  it.each(tables)('$path has a policy that only denies requests without TLS', ({ resource }) => {
    expect(resource.Properties.ResourcePolicy).toEqual({ PolicyDocument: tlsOnly });
  });

  it('has the expected streams, which deny requests without TLS', () => {
    const streams = tables.flatMap(({ path, resource: { Properties } }) =>
      Properties.StreamSpecification === undefined ? [] : [[path, Properties.StreamSpecification]],
    );
    const streamOf = (StreamViewType: string) => ({
      StreamViewType,
      ResourcePolicy: { PolicyDocument: tlsOnly },
    });

    expect(Object.fromEntries(streams)).toEqual({
      Directory: streamOf('KEYS_ONLY'),
      LogEntries: streamOf('NEW_AND_OLD_IMAGES'),
    });
  });
});
