/** The progress of a night's verification, so that a run goes on where the last one stopped. */
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { nullIfConditionFails } from '#lambdas/platform/dynamodb/conflicts.ts';
import { conditionExpressions, equals, notExists } from '#lambdas/platform/dynamodb/expressions.ts';
import { verificationProgressKey } from '../schema.ts';

export interface Night {
  /** The day that is verified, such as `2026-01-31`. */
  day: string;
  /** Organizations are checked in the order of their ids: the last one so far, empty before the first. */
  after: string;
  /** Organizations whose check showed differences, failed or was cut off: they are checked again after the others. */
  postponed: readonly string[];
  /** The number of runs that have checked postponed organizations, and verified none of them. */
  repeats: number;
  /** Verified organizations. */
  organizations: number;
  /** Their rows that differ. */
  differences: number;
  /** Organizations that could not be verified. */
  unverified: number;
  isComplete: boolean;
  /** Counts the writes of the item. */
  revision: number;
}

/** The last night; `null` before the first. */
export async function findLastNight({
  client,
  tableName: TableName,
}: CostRollupsTable): Promise<Night | null> {
  const { Item } = await client.send(
    new GetCommand({ TableName, Key: verificationProgressKey, ConsistentRead: true }),
  );
  if (Item === undefined) return null;
  const { pk: _, sk: __, ...night } = Item;
  return night as Night;
}

/** Resolves to the stored night; `null` if another run has written it since: that run has taken over. */
export async function saveNight(
  { client, tableName: TableName }: CostRollupsTable,
  { revision, ...progress }: Night,
): Promise<Night | null> {
  const night = { ...progress, revision: revision + 1 };
  const put = new PutCommand({
    TableName,
    Item: { ...verificationProgressKey, ...night },
    ...conditionExpressions(revision === 0 ? notExists('pk') : equals('revision', revision)),
  });
  return (await nullIfConditionFails(client.send(put))) && night;
}
