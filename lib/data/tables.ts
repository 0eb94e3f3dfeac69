/** The tables, with their keys, indexes and the grants on them. A grant sets the variable that names the table, too. */

import { ProjectionType, StreamViewType } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { directoryKeys, keysByOrganization } from '#lambdas/access/schema.ts';
import { costRollupsSchema } from '#lambdas/costs/rollups/schema.ts';
import { logEntriesSchema } from '#lambdas/request-log/table/schema.ts';
import type { GatewayFunction } from '../functions/gateway-function.ts';
import { RetainedTable, stringKey } from './retained.ts';

/** Organizations and their API keys; a key is stored under its hash. */
export class DirectoryTable extends RetainedTable {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      partitionKey: stringKey(directoryKeys.partition),
      sortKey: stringKey(directoryKeys.sort),
    });
    this.addGlobalSecondaryIndex({
      indexName: keysByOrganization.indexName,
      partitionKey: stringKey(keysByOrganization.partitionKey),
      sortKey: stringKey(keysByOrganization.sortKey),
      projectionType: ProjectionType.ALL,
    });
  }

  grantFindApiKey(fn: GatewayFunction): void {
    fn.addEnvironment('DIRECTORY_TABLE', this.tableName);
    fn.allow({ actions: ['dynamodb:GetItem'], resources: [this.tableArn] });
  }
}

export interface LogEntriesTableProps {
  entryRetentionDays: number;
}

const indexes = Object.values(logEntriesSchema.indexes);

/** One item for each request, under a shard of its organization and a UUIDv7, which sorts by time. */
export class LogEntriesTable extends RetainedTable {
  private readonly entryRetentionDays: number;

  constructor(scope: Construct, id: string, { entryRetentionDays }: LogEntriesTableProps) {
    super(scope, id, {
      partitionKey: stringKey(logEntriesSchema.partitionKey),
      sortKey: stringKey(logEntriesSchema.sortKey),
      timeToLiveAttribute: logEntriesSchema.expiry,
      // The rollup adds the difference between both images of a changed entry.
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
    });
    this.entryRetentionDays = entryRetentionDays;
    for (const { name, partitionKey } of indexes) {
      this.addGlobalSecondaryIndex({
        indexName: name,
        partitionKey: stringKey(partitionKey),
        sortKey: stringKey(logEntriesSchema.sortKey),
        projectionType: ProjectionType.ALL,
      });
    }
  }

  grantAppend(fn: GatewayFunction): void {
    fn.addEnvironment('LOG_ENTRIES_TABLE', this.tableName);
    fn.addEnvironment('ENTRY_RETENTION_DAYS', String(this.entryRetentionDays));
    fn.allow({ actions: ['dynamodb:PutItem'], resources: [this.tableArn] });
  }

  grantFind(fn: GatewayFunction): void {
    fn.addEnvironment('LOG_ENTRIES_TABLE', this.tableName);
    fn.allow({ actions: ['dynamodb:GetItem'], resources: [this.tableArn] });
  }

  /** Entries of an organization in order of time, without the indexes. */
  grantQueryByTime(fn: GatewayFunction): void {
    fn.addEnvironment('LOG_ENTRIES_TABLE', this.tableName);
    fn.allow({ actions: ['dynamodb:Query'], resources: [this.tableArn] });
  }

  /** Entries of an organization in order of time, by time alone or by any of the indexes. */
  grantQueryByAnyKey(fn: GatewayFunction): void {
    this.grantQueryByTime(fn);
    const resources = indexes.map(({ name }) => `${this.tableArn}/index/${name}`);
    fn.allow({ actions: ['dynamodb:Query'], resources });
  }
}

/** Sums of log entries by organization, period, model and each property that callers group by, and the state of each. */
export class CostRollupsTable extends RetainedTable {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      partitionKey: stringKey(costRollupsSchema.partitionKey),
      sortKey: stringKey(costRollupsSchema.sortKey),
      // Only the markers of quarantined records expire; sums do not have the attribute.
      timeToLiveAttribute: costRollupsSchema.expiry,
    });
  }

  /** The sums, and the state that names their current generation. */
  grantQuery(fn: GatewayFunction): void {
    fn.addEnvironment('COST_ROLLUPS_TABLE', this.tableName);
    fn.allow({ actions: ['dynamodb:GetItem', 'dynamodb:Query'], resources: [this.tableArn] });
  }

  /** Adding to the sums, and the state and the quarantine markers that say to which. */
  grantAdd(fn: GatewayFunction): void {
    fn.addEnvironment('COST_ROLLUPS_TABLE', this.tableName);
    const actions = ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem'];
    fn.allow({ actions, resources: [this.tableArn] });
  }
}
