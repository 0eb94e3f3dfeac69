import { ProjectionType } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { directoryKeys, keysByOrganization } from '#lambdas/access/schema.ts';
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
