import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { nullIfConditionFails, retryOnConflict } from '#lambdas/platform/dynamodb/conflicts.ts';

const conflict = () => new TransactionConflictException({ $metadata: {}, message: 'conflict' });

/** Rejects with each error once, then resolves to the number of attempts. */
function failingWrite(...errors: Error[]) {
  const pauses: number[] = [];
  let attempts = 0;
  const send = async () => {
    const error = errors[attempts++];
    if (error !== undefined) throw error;
    return attempts;
  };
  return { send, pauses, pause: async (maxMs: number) => void pauses.push(maxMs) };
}

describe('retryOnConflict', () => {
  it('repeats a write until no transaction conflicts with it', async () => {
    const { send, pauses, pause } = failingWrite(conflict(), conflict(), conflict());

    expect(await retryOnConflict(send, { pause })).toBe(4);
    expect(pauses).toEqual([2, 4, 8]);
  });

  it('rejects with the conflict after 20 attempts', async () => {
    const { send, pauses, pause } = failingWrite(...Array.from({ length: 20 }, conflict));

    await expect(retryOnConflict(send, { pause })).rejects.toThrow(TransactionConflictException);
    expect([pauses.length, ...pauses.slice(0, 10)]).toEqual([19, 2, 4, 8, 16, 32, 64, 128, 256, 500, 500]);
  });

  it('rejects with any other error at once', async () => {
    const { send, pauses, pause } = failingWrite(new Error('other'));

    await expect(retryOnConflict(send, { pause })).rejects.toThrow('other');
    expect(pauses).toEqual([]);
  });
});

describe('nullIfConditionFails', () => {
  it('resolves to null only for a failed condition', async () => {
    const failed = new ConditionalCheckFailedException({ $metadata: {}, message: 'failed' });

    expect(await nullIfConditionFails(Promise.reject(failed))).toBeNull();
    expect(await nullIfConditionFails(Promise.resolve('written'))).toBe('written');
    await expect(nullIfConditionFails(Promise.reject(conflict()))).rejects.toThrow('conflict');
  });
});
