/** Records of the e-mails that were sent, so that an event that is delivered again sends nothing again. */

import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { BudgetEvent } from '#lambdas/limits/budgets/events.ts';
import { daySeconds } from '#lambdas/platform/duration.ts';
import type { AccountsTable, ItemKey } from '../accounts-table.ts';

/** After the end of the period. Its last events are an hour later, and may be delivered again for another 30 hours. */
const retentionSeconds = 2 * daySeconds;

export async function isMailSent(
  { client, tableName: TableName }: AccountsTable,
  event: BudgetEvent,
  userId: string,
): Promise<boolean> {
  const { Item } = await client.send(
    new GetCommand({ TableName, Key: itemKey(event, userId), ConsistentRead: true }),
  );
  return Item !== undefined;
}

export async function recordSentMail(
  { client, tableName: TableName }: AccountsTable,
  event: BudgetEvent,
  userId: string,
): Promise<void> {
  const expires_at = Math.floor(Date.parse(event.period_end) / 1000) + retentionSeconds;
  await client.send(new PutCommand({ TableName, Item: { ...itemKey(event, userId), expires_at } }));
}

function itemKey({ id }: BudgetEvent, userId: string): ItemKey {
  return { pk: `budget-mail#${id}`, sk: `mail#${userId}` };
}
