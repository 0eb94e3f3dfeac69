import type { Construct } from 'constructs';
import { accountsSchema } from '#lambdas/accounts/schema.ts';
import type { Grantee } from './grantee.ts';
import { RetainedTable, stringKey } from './retained.ts';

const reads = ['GetItem', 'Query', 'BatchGetItem'];

/**
 * Users of the dashboard: their sessions, stored under the hash of their cookie with encrypted tokens, their profiles,
 * memberships and invitations.
 */
export class AccountsTable extends RetainedTable {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      partitionKey: stringKey(accountsSchema.partitionKey),
      sortKey: stringKey(accountsSchema.sortKey),
      timeToLiveAttribute: accountsSchema.expiry,
    });
  }

  grantManage(fn: Grantee): void {
    this.allow(fn, ...reads, 'PutItem', 'UpdateItem', 'DeleteItem');
  }

  /** Also allows making changes under the condition that a membership is unchanged. */
  grantManageMembers(fn: Grantee): void {
    this.allow(fn, ...reads, 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem');
  }

  /** Also allows finding the membership of its user in an organization. */
  grantFindSession(fn: Grantee): void {
    this.allow(fn, 'GetItem');
  }

  grantFindInvitations(fn: Grantee): void {
    this.allow(fn, 'Query');
  }

  /** Allows reading the owners of organizations, and recording each mail that was sent to them. */
  grantNotifyOwners(fn: Grantee): void {
    this.allow(fn, ...reads, 'PutItem');
  }

  private allow(fn: Grantee, ...actions: string[]): void {
    fn.addEnvironment('ACCOUNTS_TABLE', this.tableName);
    fn.allow({ actions: actions.map((action) => `dynamodb:${action}`), resources: [this.tableArn] });
  }
}
