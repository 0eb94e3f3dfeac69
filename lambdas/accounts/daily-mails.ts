/** Counts the e-mails to an address that somebody has asked for, so that nobody's mailbox is filled. */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { daySeconds } from '#lambdas/platform/duration.ts';
import { nullIfConditionFails } from '#lambdas/platform/dynamodb/conflicts.ts';
import { comparesIfExists, updateExpressions } from '#lambdas/platform/dynamodb/expressions.ts';
import type { AccountsTable } from './accounts-table.ts';
import { addressPartition } from './schema.ts';

/** To one address on a UTC day, from all organizations together. */
export const maxDailyMails = 5;

/**
 * Resolves to `false` if the address has had all mails of the day. Call before sending, so that a function that is killed in
 * between sends too little, not too much.
 */
export async function countMail(
  { client, tableName: TableName }: AccountsTable,
  email: string,
  now: Date,
): Promise<boolean> {
  const day = now.toISOString().slice(0, 10);
  const counted = client.send(
    new UpdateCommand({
      TableName,
      Key: { pk: addressPartition(email), sk: `mails#${day}` },
      ...updateExpressions(
        {
          add: { mails: 1 },
          set: { expires_at: Math.floor(Date.parse(day) / 1000) + 2 * daySeconds },
        },
        comparesIfExists('mails', '<', maxDailyMails),
      ),
    }),
  );
  return (await nullIfConditionFails(counted)) !== null;
}
