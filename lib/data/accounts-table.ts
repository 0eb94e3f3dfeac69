import type { Construct } from 'constructs';
import { accountsSchema } from '#lambdas/accounts/schema.ts';
import type { GatewayFunction } from '../functions/gateway-function.ts';
import { RetainedTable, stringKey } from './retained.ts';

/** Sessions of the dashboard, stored under the hash of their cookie, with encrypted tokens. */
export class AccountsTable extends RetainedTable {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      partitionKey: stringKey(accountsSchema.partitionKey),
      sortKey: stringKey(accountsSchema.sortKey),
      timeToLiveAttribute: accountsSchema.expiry,
    });
  }

  grantManageSessions(fn: GatewayFunction): void {
    fn.addEnvironment('ACCOUNTS_TABLE', this.tableName);
    const actions = ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'];
    fn.allow({ actions: actions.map((action) => `dynamodb:${action}`), resources: [this.tableArn] });
  }
}
