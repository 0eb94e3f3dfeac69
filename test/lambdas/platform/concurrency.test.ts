import { expect, it } from 'vitest';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';

/** Work that ends when the test says so. */
function heldWork() {
  const started: number[] = [];
  const held: PromiseWithResolvers<void>[] = [];
  const work = (item: number) => {
    started.push(item);
    const gate = Promise.withResolvers<void>();
    held.push(gate);
    return gate.promise;
  };
  return { started, held, work };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

it('does so many at a time and no more, in order', async () => {
  const { started, held, work } = heldWork();
  const done = forEachConcurrently([1, 2, 3, 4], 2, work);
  expect(started).toEqual([1, 2]);
  held[1]?.resolve();
  await settle();
  expect(started).toEqual([1, 2, 3]);
  held[0]?.resolve();
  held[2]?.resolve();
  await settle();
  held[3]?.resolve();
  await done;
  expect(started).toEqual([1, 2, 3, 4]);
});

it('throws when what is under way has ended, and begins nothing new', async () => {
  const { started, held, work } = heldWork();
  let isDone = false;
  const done = forEachConcurrently([1, 2, 3, 4], 2, work).finally(() => {
    isDone = true;
  });
  const outcome = expect(done).rejects.toThrow('no answer');
  held[0]?.reject(new Error('no answer'));
  await settle();
  expect([started, isDone]).toEqual([[1, 2], false]);
  held[1]?.resolve();
  await outcome;
  expect(started).toEqual([1, 2]);
});

it('has nothing to do without items', async () => {
  const { started, work } = heldWork();
  await forEachConcurrently([], 3, work);
  expect(started).toEqual([]);
});
