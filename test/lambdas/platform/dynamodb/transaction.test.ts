import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { sendTransaction } from '#lambdas/platform/dynamodb/transaction.ts';

const item = { Put: { TableName: 'Directory', Item: { pk: 'a', sk: 'a' } } };

/** Each transaction is cancelled for these reasons. */
function cancellingClient(...codes: string[]): DynamoDBDocumentClient {
  const CancellationReasons = codes.map((Code) => ({ Code }));
  const send = async () => {
    throw new TransactionCanceledException({ message: '', $metadata: {}, CancellationReasons });
  };
  return Object.create(null, { send: { value: send } });
}

it.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
  'rejects a transaction that is cancelled with %s 20 times',
  async (code) => {
    const pauses: number[] = [];
    const pause = async (maxMs: number) => void pauses.push(maxMs);

    const sending = sendTransaction(cancellingClient('None', code), [item, item], pause);

    await expect(sending).rejects.toThrow(TransactionCanceledException);
    expect([pauses.length, ...pauses.slice(0, 10)]).toEqual([19, 2, 4, 8, 16, 32, 64, 128, 256, 500, 500]);
  },
);

it('resolves to the positions of failed conditions without another attempt', async () => {
  const client = cancellingClient('TransactionConflict', 'ConditionalCheckFailed', 'None');
  const pause = () => expect.fail();

  expect(await sendTransaction(client, [item, item, item], pause)).toEqual([1]);
});
