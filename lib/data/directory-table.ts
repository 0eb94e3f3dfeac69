import { ProjectionType } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { GatewayFunction } from '../functions/gateway-function.ts';
import { RetainedTable, stringKey } from './retained-table.ts';

/** Organizations and their API keys; a key is stored under its hash. */
export class DirectoryTable extends RetainedTable {
  constructor(scope: Construct, id: string) {
    super(scope, id, { partitionKey: stringKey('pk'), sortKey: stringKey('sk') });
    // For whoever administers keys; no function reads it.
    this.addGlobalSecondaryIndex({
      indexName: 'by-organization',
      partitionKey: stringKey('organization_id'),
      sortKey: stringKey('id'),
      projectionType: ProjectionType.ALL,
    });
  }

  grantFindApiKey(fn: GatewayFunction): void {
    fn.addEnvironment('DIRECTORY_TABLE', this.tableName);
    fn.allow({ actions: ['dynamodb:GetItem'], resources: [this.tableArn] });
  }
}
