import { ProjectionType, StreamViewType } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { GatewayFunction } from './gateway-function.ts';
import { RetainedTable, stringKey } from './retained-table.ts';

export interface LogEntriesTableProps {
  entryRetentionDays: number;
}

/** One item a request, under its organization and a UUIDv7, which sorts by time. */
export class LogEntriesTable extends RetainedTable {
  private readonly entryRetentionDays: number;

  constructor(scope: Construct, id: string, { entryRetentionDays }: LogEntriesTableProps) {
    super(scope, id, {
      partitionKey: stringKey('organization_id'),
      sortKey: stringKey('id'),
      timeToLiveAttribute: 'expires_at',
      stream: StreamViewType.NEW_IMAGE,
    });
    this.entryRetentionDays = entryRetentionDays;
    this.addIndex('by-model', 'organization_model');
    this.addIndex('by-provider', 'organization_provider');
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

  /** Entries of an organization in order of time, of one model or of one provider. */
  grantQueryByAnyKey(fn: GatewayFunction): void {
    this.grantQueryByTime(fn);
    fn.allow({
      actions: ['dynamodb:Query'],
      resources: [`${this.tableArn}/index/by-model`, `${this.tableArn}/index/by-provider`],
    });
  }

  private addIndex(indexName: string, partitionKey: string): void {
    this.addGlobalSecondaryIndex({
      indexName,
      partitionKey: stringKey(partitionKey),
      sortKey: stringKey('id'),
      projectionType: ProjectionType.ALL,
    });
  }
}
