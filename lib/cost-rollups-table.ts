import type { Construct } from 'constructs';
import type { GatewayFunction } from './gateway-function.ts';
import { RetainedTable, stringKey } from './retained-table.ts';

/** Sums of log entries by organization, span of time and model. */
export class CostRollupsTable extends RetainedTable {
  constructor(scope: Construct, id: string) {
    super(scope, id, { partitionKey: stringKey('pk'), sortKey: stringKey('sk') });
  }

  grantQuery(fn: GatewayFunction): void {
    fn.addEnvironment('COST_ROLLUPS_TABLE', this.tableName);
    fn.allow({ actions: ['dynamodb:Query'], resources: [this.tableArn] });
  }

  grantAdd(fn: GatewayFunction): void {
    fn.addEnvironment('COST_ROLLUPS_TABLE', this.tableName);
    fn.allow({ actions: ['dynamodb:UpdateItem'], resources: [this.tableArn] });
  }
}
