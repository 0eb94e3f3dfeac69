import { expect, it } from 'vitest';
import { createSlots, forEachConcurrently } from '#lambdas/platform/concurrency.ts';

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

it('runs work in slots, which it leaves free during pauses', async () => {
  const { started, deferreds, work } = deferredWork();
  const slots = createSlots(2);
  const pauses = [1, 2, 3].map(() => Promise.withResolvers<void>());
  const done = Promise.all(
    [1, 2, 3].map((item) =>
      slots.use(async () => {
        await work(item);
        await slots.free(() => pauses[item - 1]?.promise ?? Promise.resolve());
        await work(10 * item);
      }),
    ),
  );
  await settle();
  expect(started).toEqual([1, 2]);
  for (const deferred of deferreds) deferred.resolve();
  await settle();
  // Two are in pauses, and the third one has a slot.
  expect(started).toEqual([1, 2, 3]);
  pauses[0]?.resolve();
  pauses[1]?.resolve();
  await settle();
  expect(started).toEqual([1, 2, 3, 10]);
  deferreds[2]?.resolve();
  await settle();
  expect(started).toEqual([1, 2, 3, 10, 20]);
  for (const { resolve } of [...deferreds, ...pauses]) resolve();
  await settle();
  deferreds.at(-1)?.resolve();
  await done;
  expect(started).toEqual([1, 2, 3, 10, 20, 30]);
});

it('frees the slots of work that fails, also in a pause', async () => {
  const slots = createSlots(1);
  const failures = await Promise.allSettled([
    slots.use(() => Promise.reject(new Error('work'))),
    slots.use(() => slots.free(() => Promise.reject(new Error('pause')))),
  ]);

  expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await slots.use(async () => 'done')).toBe('done');
});
