import { describe, expect, it } from 'vitest';
import {
  createLogId,
  firstLogIdAt,
  lastLogIdAt,
  maxShardCount,
  shardOfLogId,
  timestampOfLogId,
} from '#lambdas/request-log/id.ts';
import { fc } from '#test/support/fast-check.ts';

const anyMs = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const anyShard = fc.integer({ min: 0, max: maxShardCount - 1 });

describe('Log ids', () => {
  it('creates UUIDv7s that contain the millisecond and the shard', () => {
    fc.assert(
      fc.property(anyMs, anyShard, (ms, shard) => {
        const id = createLogId(ms, shard);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(timestampOfLogId(id)).toBe(ms);
        expect(shardOfLogId(id)).toBe(shard);
      }),
    );
  });

  it('creates ids that sort by time and lie between the first and last id of their millisecond', () => {
    fc.assert(
      fc.property(anyMs, anyMs, anyShard, (left, right, shard) => {
        const id = createLogId(left, shard);
        expect(id >= firstLogIdAt(left) && id <= lastLogIdAt(left)).toBe(true);
        if (left < right) expect(id < createLogId(right)).toBe(true);
      }),
    );
  });

  it('creates unique ids within a millisecond', () => {
    const ids = Array.from({ length: 10_000 }, () => createLogId(1_700_000_000_000));
    expect(new Set(ids).size).toBe(10_000);
  });
});
