import { ProjectionType, StreamViewType } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { GatewayFunction } from '../functions/gateway-function.ts';
import { RetainedTable, stringKey } from './retained-table.ts';

export interface LogEntriesTableProps {
  entryRetentionDays: number;
}

/** By name, with the partition key of each. An entry without the attribute is not in the index, and costs nothing there. */
const indexes = {
  'by-model': 'model_key',
  'by-provider': 'provider_key',
  'by-prompt': 'prompt_key',
  'by-session': 'session_key',
  'by-user': 'user_key',
  'by-status': 'status_key',
};

/** One item a request, under a shard of its organization and a UUIDv7, which sorts by time. */
export class LogEntriesTable extends RetainedTable {
  private readonly entryRetentionDays: number;

  constructor(scope: Construct, id: string, { entryRetentionDays }: LogEntriesTableProps) {
    super(scope, id, {
      partitionKey: stringKey('organization_shard'),
      sortKey: stringKey('id'),
      timeToLiveAttribute: 'expires_at',
      // Both images: what a changed entry adds to the costs is the difference.
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
    });
    this.entryRetentionDays = entryRetentionDays;
    for (const [indexName, partitionKey] of Object.entries(indexes)) {
      this.addGlobalSecondaryIndex({
        indexName,
        partitionKey: stringKey(partitionKey),
        sortKey: stringKey('id'),
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
    const resources = Object.keys(indexes).map((name) => `${this.tableArn}/index/${name}`);
    fn.allow({ actions: ['dynamodb:Query'], resources });
  }
}
