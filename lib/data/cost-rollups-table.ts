import type { Construct } from 'constructs';
import type { GatewayFunction } from '../functions/gateway-function.ts';
import { RetainedTable, stringKey } from './retained.ts';

/** Sums of log entries by organization, span of time, model and what callers group by; and which of them are read. */
export class CostRollupsTable extends RetainedTable {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      partitionKey: stringKey('pk'),
      sortKey: stringKey('sk'),
      // No sum has it: only what says that a record of the stream was set aside.
      timeToLiveAttribute: 'expires_at',
    });
  }

  /** The sums, and which generation of them holds. */
  grantQuery(fn: GatewayFunction): void {
    fn.addEnvironment('COST_ROLLUPS_TABLE', this.tableName);
    fn.allow({ actions: ['dynamodb:GetItem', 'dynamodb:Query'], resources: [this.tableArn] });
  }

  /** Adding to the sums of the generations that hold what was not set aside. */
  grantAdd(fn: GatewayFunction): void {
    fn.addEnvironment('COST_ROLLUPS_TABLE', this.tableName);
    const actions = ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem'];
    fn.allow({ actions, resources: [this.tableArn] });
  }
}
