import { ProjectionType, StreamViewType } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { logEntriesSchema } from '#lambdas/request-log/table/schema.ts';
import type { GatewayFunction } from '../functions/gateway-function.ts';
import { RetainedTable, stringKey } from './retained.ts';

export interface LogEntriesTableProps {
  entryRetentionDays: number;
}

const indexes = Object.values(logEntriesSchema.indexes);

/** One item a request, under a shard of its organization and a UUIDv7, which sorts by time. */
export class LogEntriesTable extends RetainedTable {
  private readonly entryRetentionDays: number;

  constructor(scope: Construct, id: string, { entryRetentionDays }: LogEntriesTableProps) {
    super(scope, id, {
      partitionKey: stringKey(logEntriesSchema.partitionKey),
      sortKey: stringKey(logEntriesSchema.sortKey),
      timeToLiveAttribute: logEntriesSchema.expiry,
      // Both images: what a changed entry adds to the costs is the difference.
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
