/** Records of the e-mails that were sent, so that an event that is delivered again sends nothing again. */

import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { BudgetEvent } from '#lambdas/limits/budgets/events.ts';
import { daySeconds } from '#lambdas/platform/duration.ts';
import type { AccountsTable, ItemKey } from '../accounts-table.ts';

export interface SentMail {
  has(event: BudgetEvent, userId: string): Promise<boolean>;
  add(event: BudgetEvent, userId: string): Promise<void>;
}

/** After the end of the period. Its last events are an hour later, and may be delivered again for another 30 hours. */
const retentionSeconds = 2 * daySeconds;

export function createSentMail({ client, tableName: TableName }: AccountsTable): SentMail {
  return {
    async has(event, userId) {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: itemKey(event, userId), ConsistentRead: true }),
      );
      return Item !== undefined;
    },

    async add(event, userId) {
      const expires_at = Math.floor(Date.parse(event.period_end) / 1000) + retentionSeconds;
      await client.send(new PutCommand({ TableName, Item: { ...itemKey(event, userId), expires_at } }));
    },
  };
}

function itemKey({ id }: BudgetEvent, userId: string): ItemKey {
  return { pk: `budget-mail#${id}`, sk: `mail#${userId}` };
}
