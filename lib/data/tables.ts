/** Tables with their keys, indexes and grants. A grant also sets the environment variable with the table's name. */

import { ProjectionType, StreamViewType } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { directorySchema } from '#lambdas/access/schema.ts';
import { costRollupsSchema } from '#lambdas/costs/rollups/schema.ts';
import { conversationStateSchema } from '#lambdas/inference/conversation-state/schema.ts';
import { budgetCountersSchema } from '#lambdas/limits/schema.ts';
import { pricesSchema } from '#lambdas/pricing/custom/schema.ts';
import { logEntriesSchema } from '#lambdas/request-log/table/schema.ts';
import type { Settings } from '../settings/settings.ts';
import type { Grantee } from './grantee.ts';
import { RetainedTable, stringKey } from './retained.ts';

/** Organizations and their API keys, which are stored under their hash. */
export class DirectoryTable extends RetainedTable {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      partitionKey: stringKey(directorySchema.partitionKey),
      sortKey: stringKey(directorySchema.sortKey),
      // Only the keys of changed items: the function that it starts reads what it needs.
      stream: StreamViewType.KEYS_ONLY,
    });
  }

  /** Grants reading the budgets and organizations, and changing them and their keys. */
  grantApplyBudgets(fn: Grantee): void {
    this.allow(fn, 'GetItem', 'Query', 'BatchGetItem', 'UpdateItem', 'DeleteItem');
  }

  /** Grants reading and changing organizations, their keys, which are moved to the archive, the budgets and rate limits. */
  grantManage(fn: Grantee): void {
    const writes = ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'];
    this.allow(fn, 'GetItem', 'Query', 'BatchGetItem', ...writes);
  }

  /** Grants listing the current keys of organizations, and moving them to the archive. */
  grantRevokeKeys(fn: Grantee): void {
    this.allow(fn, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem');
  }

  /** Grants creating an organization, and creating and deleting its key. */
  grantReplaceKey(fn: Grantee): void {
    this.allow(fn, 'GetItem', 'PutItem', 'DeleteItem');
  }

  grantFind(fn: Grantee): void {
    this.allow(fn, 'GetItem');
  }

  /** Grants finding organizations, and keys by their ids. */
  grantFindKeys(fn: Grantee): void {
    this.allow(fn, 'GetItem', 'BatchGetItem');
  }

  /** Grants reading organizations, one and all. */
  grantList(fn: Grantee): void {
    this.allow(fn, 'GetItem', 'Query', 'BatchGetItem');
  }

  private allow(fn: Grantee, ...actions: string[]): void {
    fn.addEnvironment('DIRECTORY_TABLE', this.tableName);
    fn.allow({ actions: actions.map((action) => `dynamodb:${action}`), resources: [this.tableArn] });
  }
}

/** Counters of budgets and the state of rate limits, which requests update. Budgets and limits themselves are in the Directory. */
export class BudgetCountersTable extends RetainedTable {
  constructor(scope: Construct, id: string) {
    super(scope, id, { partitionKey: stringKey(budgetCountersSchema.partitionKey) });
  }

  grantList(fn: Grantee): void {
    fn.addEnvironment('BUDGET_COUNTERS_TABLE', this.tableName);
    fn.allow({ actions: ['dynamodb:BatchGetItem'], resources: [this.tableArn] });
  }

  grantUpdate(fn: Grantee): void {
    fn.addEnvironment('BUDGET_COUNTERS_TABLE', this.tableName);
    fn.allow({ actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'], resources: [this.tableArn] });
  }

  grantManage(fn: Grantee): void {
    this.grantUpdate(fn);
    fn.allow({ actions: ['dynamodb:PutItem', 'dynamodb:DeleteItem'], resources: [this.tableArn] });
  }
}

/** The organizations of the responses, items and conversations that providers keep. */
export class ConversationStateTable extends RetainedTable {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      partitionKey: stringKey(conversationStateSchema.partitionKey),
      timeToLiveAttribute: conversationStateSchema.expiry,
    });
  }

  grantContinue(fn: Grantee): void {
    fn.addEnvironment('CONVERSATION_STATE_TABLE', this.tableName);
    const actions = ['BatchGetItem', 'BatchWriteItem', 'UpdateItem'];
    fn.allow({ actions: actions.map((action) => `dynamodb:${action}`), resources: [this.tableArn] });
  }
}

/** Prices that operators set for a model, for one organization or all, without a deployment. */
export class PricesTable extends RetainedTable {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      partitionKey: stringKey(pricesSchema.partitionKey),
      sortKey: stringKey(pricesSchema.sortKey),
    });
  }

  grantFind(fn: Grantee): void {
    fn.addEnvironment('PRICES_TABLE', this.tableName);
    fn.allow({ actions: ['dynamodb:GetItem'], resources: [this.tableArn] });
  }

  /** Grants reading the prices of one model, and of many. */
  grantList(fn: Grantee): void {
    this.grantFind(fn);
    fn.allow({ actions: ['dynamodb:BatchGetItem', 'dynamodb:Scan'], resources: [this.tableArn] });
  }
}

type LogEntriesTableProps = Pick<Settings, 'entryRetentionDays' | 'indexResponseIds'>;

const fieldIndexes = Object.values(logEntriesSchema.indexes);
const { responseIdIndex } = logEntriesSchema;

/**
 * One item per request. The partition key is a shard of the organization, the sort key a UUIDv7, which sorts by time.
 */
export class LogEntriesTable extends RetainedTable {
  readonly indexNames: readonly string[];
  private readonly settings: LogEntriesTableProps;

  constructor(scope: Construct, id: string, settings: LogEntriesTableProps) {
    super(scope, id, {
      partitionKey: stringKey(logEntriesSchema.partitionKey),
      sortKey: stringKey(logEntriesSchema.sortKey),
      timeToLiveAttribute: logEntriesSchema.expiry,
      // For a changed entry, the rollup function adds the difference between both images.
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
    });
    this.settings = settings;
    const { partitionKey, sortKey } = logEntriesSchema;
    const indexes = [
      ...fieldIndexes.map((index) => ({ ...index, sortKey })),
      ...(settings.indexResponseIds ? [{ ...responseIdIndex, partitionKey }] : []),
    ];
    for (const index of indexes) {
      this.addGlobalSecondaryIndex({
        indexName: index.name,
        partitionKey: stringKey(index.partitionKey),
        sortKey: stringKey(index.sortKey),
        projectionType: ProjectionType.ALL,
      });
    }
    this.indexNames = indexes.map(({ name }) => name);
  }

  grantAppend(fn: Grantee): void {
    fn.addEnvironment('LOG_ENTRIES_TABLE', this.tableName);
    fn.addEnvironment('ENTRY_RETENTION_DAYS', String(this.settings.entryRetentionDays));
    fn.allow({ actions: ['dynamodb:PutItem'], resources: [this.tableArn] });
  }

  /** Grants adding the entries that are missing. */
  grantRestore(fn: Grantee): void {
    this.grantFind(fn);
    this.grantAppend(fn);
  }

  /** Grants adding the entries that are missing, and changing the prices of others. */
  grantCorrect(fn: Grantee): void {
    this.grantRestore(fn);
    fn.allow({ actions: ['dynamodb:UpdateItem'], resources: [this.tableArn] });
  }

  grantFind(fn: Grantee): void {
    fn.addEnvironment('LOG_ENTRIES_TABLE', this.tableName);
    fn.allow({ actions: ['dynamodb:GetItem'], resources: [this.tableArn] });
  }

  /** Grants queries on the table only, not on its indexes. */
  grantQueryByTime(fn: Grantee): void {
    fn.addEnvironment('LOG_ENTRIES_TABLE', this.tableName);
    fn.allow({ actions: ['dynamodb:Query'], resources: [this.tableArn] });
  }

  grantQueryByAnyKey(fn: Grantee): void {
    this.grantQueryByTime(fn);
    fn.addEnvironment('RESPONSE_ID_INDEX', String(this.settings.indexResponseIds));
    const resources = this.indexNames.map((name) => `${this.tableArn}/index/${name}`);
    fn.allow({ actions: ['dynamodb:Query'], resources });
  }
}

/**
 * Sums of log entries by organization, period, model and group-by dimension, and the rollup state of each organization.
 */
export class CostRollupsTable extends RetainedTable {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      partitionKey: stringKey(costRollupsSchema.partitionKey),
      sortKey: stringKey(costRollupsSchema.sortKey),
      // Only quarantine items and marks of restored entries have this attribute; sums do not expire.
      timeToLiveAttribute: costRollupsSchema.expiry,
    });
  }

  grantQuery(fn: Grantee): void {
    fn.addEnvironment('COST_ROLLUPS_TABLE', this.tableName);
    fn.allow({ actions: ['dynamodb:GetItem', 'dynamodb:Query'], resources: [this.tableArn] });
  }

  /** Grants queries, and keeping the progress of the verification. */
  grantVerify(fn: Grantee): void {
    this.grantQuery(fn);
    fn.allow({ actions: ['dynamodb:PutItem'], resources: [this.tableArn] });
  }

  /** Grants marking restored entries, and keeping the progress of the recovery. */
  grantRecover(fn: Grantee): void {
    this.grantMarkRestored(fn);
    fn.allow({ actions: ['dynamodb:GetItem'], resources: [this.tableArn] });
  }

  /** Grants marking restored entries, which includes changing the rollup state of an organization. */
  grantMarkRestored(fn: Grantee): void {
    fn.addEnvironment('COST_ROLLUPS_TABLE', this.tableName);
    fn.allow({ actions: ['dynamodb:PutItem', 'dynamodb:UpdateItem'], resources: [this.tableArn] });
  }

  /**
   * Grants adding to sums. Also grants reading the rollup state and quarantine items, which determine the generations and
   * records to add.
   */
  grantAdd(fn: Grantee): void {
    fn.addEnvironment('COST_ROLLUPS_TABLE', this.tableName);
    const actions = ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem'];
    fn.allow({ actions, resources: [this.tableArn] });
  }

  /** Also grants deleting the marks of restored entries. */
  grantCount(fn: Grantee): void {
    this.grantAdd(fn);
    fn.allow({ actions: ['dynamodb:DeleteItem'], resources: [this.tableArn] });
  }
}
