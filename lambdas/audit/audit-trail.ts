/**
 * Writes the audit trail: each change and its record in one transaction, so that both exist or neither.
 *
 * Records are never updated or deleted. They are put with the condition that they are new, and expire after the retention.
 */

import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { dayMs } from '#lambdas/platform/duration.ts';
import { nullIfConditionFails } from '#lambdas/platform/dynamodb/conflicts.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { sendTransaction, type TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import { createUuidV7 } from '#lambdas/platform/uuid-v7.ts';
import type { Actor, AuditEvent, AuditRecord, AuditStage, AuditValues } from './record.ts';
import { auditTrailSchema, gatewayPartition } from './schema.ts';

export interface AuditedChange {
  event: AuditEvent;
  items: readonly TransactItem[];
  /** For a part of an operation that several transactions make; otherwise, the change is complete. */
  operation?: { id: string; stage: AuditStage };
}

export interface AuditTrail {
  actor: Actor;
  now(): Date;
  /**
   * Writes all items and the records of the changes in one transaction: at most 100 items together with one record for each
   * change. Resolves to the positions of the items whose condition failed, counted over all changes; without any, the
   * transaction was applied.
   */
  transact(...changes: readonly AuditedChange[]): Promise<readonly number[]>;
  /** Records that an operation begins that cannot be one transaction. The caller must end it. */
  start(event: AuditEvent): Promise<AuditedOperation>;
}

export interface AuditedOperation {
  /** Records the end, with what the operation changed. */
  complete(after?: AuditValues): Promise<void>;
  fail(after?: AuditValues): Promise<void>;
}

export interface AuditTable {
  client: DynamoDBDocumentClient;
  tableName: string;
  retentionDays: number;
}

/** A condition of every change, such as that the user still has the role with which the change is made. */
export interface AuditGuard {
  check: NonNullable<TransactItem['ConditionCheck']>;
  /** Thrown when the condition fails. */
  error(): Error;
}

/** A change that writes the guard's item itself must have the condition itself: a transaction names each item once. */
export function createAuditTrail(
  table: AuditTable,
  actor: Actor,
  now: () => Date,
  guard: AuditGuard | null = null,
): AuditTrail {
  const recordOf = (event: AuditEvent, stage: AuditStage, operationId?: string): AuditRecord => {
    const at = now();
    const newId = createUuidV7(at.getTime());
    const id = stage === 'started' ? (operationId ?? newId) : newId;
    return { ...event, id, at: at.toISOString(), actor, stage, operationId: operationId ?? id };
  };
  const put = async (record: AuditRecord): Promise<void> => {
    // The condition fails if the SDK has repeated the call after a lost response: ids are random, so it is the same record.
    await nullIfConditionFails(table.client.send(new PutCommand(putOf(table, record))));
  };

  return {
    actor,
    now,

    async transact(...changes) {
      const items = changes.flatMap((change) => change.items);
      const puts = changes.map(({ event, operation }) => ({
        Put: putOf(table, recordOf(event, operation?.stage ?? 'completed', operation?.id)),
      }));
      const checks = guard === null || items.some((item) => writesItemOf(item, guard)) ? [] : [guard];
      const failed = await sendTransaction(table.client, [
        ...items,
        ...checks.map(({ check }) => ({ ConditionCheck: check })),
        ...puts,
      ]);
      // The transaction was applied before, and its response was lost: ids are random, so these are its own records.
      if (failed.some((position) => position >= items.length + checks.length)) return [];
      if (guard !== null && failed.includes(items.length)) throw guard.error();
      return failed;
    },

    async start(event) {
      const started = recordOf(event, 'started');
      await put(started);
      const end = (stage: AuditStage) => (after?: AuditValues) =>
        put(recordOf({ ...event, after: after ?? event.after }, stage, started.id));
      return { complete: end('completed'), fail: end('failed') };
    },
  };
}

function writesItemOf({ Put, Update, Delete }: TransactItem, { check }: AuditGuard): boolean {
  const key: Item = Put?.Item ?? Update?.Key ?? Delete?.Key ?? {};
  const tableName = (Put ?? Update ?? Delete)?.TableName;
  const isSameKey = Object.entries(check.Key ?? {}).every(([name, value]) => key[name] === value);
  return tableName === check.TableName && isSameKey;
}

function putOf({ tableName, retentionDays }: AuditTable, record: AuditRecord) {
  return {
    TableName: tableName,
    Item: toItem(record, retentionDays),
    ConditionExpression: `attribute_not_exists(${auditTrailSchema.sortKey})`,
  };
}

function toItem({ organizationId, operationId, ...record }: AuditRecord, retentionDays: number): Item {
  return {
    ...record,
    [auditTrailSchema.partitionKey]: organizationId ?? gatewayPartition,
    operation_id: operationId,
    [auditTrailSchema.expiry]: Math.floor((Date.parse(record.at) + retentionDays * dayMs) / 1000),
  };
}

export function toAuditRecord(item: Item): AuditRecord {
  const {
    [auditTrailSchema.partitionKey]: partition,
    [auditTrailSchema.expiry]: _,
    operation_id: operationId,
    ...record
  } = item;
  const organizationId = partition === gatewayPartition ? null : partition;
  return { ...record, organizationId, operationId } as unknown as AuditRecord;
}

/**
 * Records the work's begin and end. `work` resolves to what it has changed. If it rejects, the operation is recorded as failed,
 * and the result rejects with the same error.
 */
export async function runOperation(
  audit: AuditTrail,
  event: AuditEvent,
  work: () => Promise<AuditValues>,
): Promise<void> {
  const operation = await audit.start(event);
  let after: AuditValues;
  try {
    after = await work();
  } catch (error) {
    // Without the record, it counts as interrupted. The first error is the one to report.
    await operation.fail().catch(() => {});
    throw error;
  }
  await operation.complete(after);
}
