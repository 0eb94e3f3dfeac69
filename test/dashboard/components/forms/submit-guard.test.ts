import { describe, expect, it } from 'vitest';
import { ApiError } from '#dashboard/api/client.ts';
import { IdempotencyKey } from '#dashboard/components/forms/idempotency.ts';
import { SubmitGuard, useSubmitGuard } from '#dashboard/components/forms/submit-guard.ts';
import { runHook } from '#test/dashboard/rendering/hook.ts';

/** An action that counts its runs, and ends when the test says so. */
function pendingAction() {
  const end = Promise.withResolvers<void>();
  const action = {
    runs: 0,
    end,
    run: () => {
      action.runs++;
      return end.promise;
    },
  };
  return action;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('A submission', () => {
  it('runs once when it is pressed twice in the same tick', () => {
    const action = pendingAction();
    const press = (submit: ReturnType<typeof useSubmitGuard>) => {
      submit(action.run);
      submit(action.run);
    };
    runHook(useSubmitGuard, [press, press]);
    expect(action.runs).toBe(1);
  });

  it.each(['resolve', 'reject'] as const)(
    'is ignored after the first one has ended (%s) until the page shows that',
    async (outcome) => {
      const action = pendingAction();
      const settled = Promise.withResolvers<void>();
      const guard = new SubmitGuard(settled.resolve);
      guard.run(action.run);
      action.end[outcome]();
      await settled.promise;
      guard.run(action.run);
      expect(action.runs).toBe(1);

      guard.release();
      guard.run(action.run);
      expect(action.runs).toBe(2);
    },
  );

  it('is not guarded if it takes no time', () => {
    let runs = 0;
    const guard = new SubmitGuard(() => {});
    guard.run(() => runs++);
    guard.run(() => runs++);
    expect(runs).toBe(2);
  });
});

describe('The id of a submission', () => {
  /** Returns the id that is sent, and fails if it is told to. */
  const send = (key: IdempotencyKey, error?: Error) =>
    key.send(async (id) => {
      if (error) throw Object.assign(error, { id });
      return id;
    });

  it('stays for the next try of one that has failed, and is another one after success', async () => {
    const key = new IdempotencyKey();
    const failed: unknown = await send(key, new Error('lost')).catch((error: unknown) => error);
    const repeated = await send(key);
    const next = await send(key);

    expect(repeated).toMatch(uuid);
    expect(failed).toMatchObject({ message: 'lost', id: repeated });
    expect(next).toMatch(uuid);
    expect(next).not.toBe(repeated);
  });

  it.each([
    [409, 'another one', 2],
    [400, 'the same', 1],
    [0, 'the same', 1],
  ])('after status %d is %s', async (status, _which, count) => {
    const key = new IdempotencyKey();
    const failed: unknown = await send(key, new ApiError('failed', status)).catch((error: unknown) => error);
    const ids = [(failed as { id: string }).id, await send(key)];
    expect(new Set(ids).size).toBe(count);
  });
});
