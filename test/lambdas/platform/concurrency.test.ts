import { expect, it } from 'vitest';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';

function deferredWork() {
  const started: number[] = [];
  const deferreds: PromiseWithResolvers<void>[] = [];
  const work = (item: number) => {
    started.push(item);
    const deferred = Promise.withResolvers<void>();
    deferreds.push(deferred);
    return deferred.promise;
  };
  return { started, deferreds, work };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

it('starts items in order and runs at most `concurrency` of them at a time', async () => {
  const { started, deferreds, work } = deferredWork();
  const done = forEachConcurrently([1, 2, 3, 4], 2, work);
  expect(started).toEqual([1, 2]);
  deferreds[1]?.resolve();
  await settle();
  expect(started).toEqual([1, 2, 3]);
  deferreds[0]?.resolve();
  deferreds[2]?.resolve();
  await settle();
  deferreds[3]?.resolve();
  await done;
  expect(started).toEqual([1, 2, 3, 4]);
});

it('starts no item after a failure and throws once the running work has ended', async () => {
  const { started, deferreds, work } = deferredWork();
  let isDone = false;
  const done = forEachConcurrently([1, 2, 3, 4], 2, work).finally(() => {
    isDone = true;
  });
  const outcome = expect(done).rejects.toThrow('no response');
  deferreds[0]?.reject(new Error('no response'));
  await settle();
  expect([started, isDone]).toEqual([[1, 2], false]);
  deferreds[1]?.resolve();
  await outcome;
  expect(started).toEqual([1, 2]);
});

it('resolves without items', async () => {
  const { started, work } = deferredWork();
  await forEachConcurrently([], 3, work);
  expect(started).toEqual([]);
});
