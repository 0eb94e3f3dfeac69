import { describe, expect, it } from 'vitest';
import { createByteAccumulator } from '#lambdas/inference/providers/http/sse.ts';
import { fc } from '#test/support/fast-check.ts';

describe('createByteAccumulator', () => {
  it('returns the concatenation of all chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 20 })), (chunks) => {
        const accumulator = createByteAccumulator();
        for (const chunk of chunks) accumulator.add(Buffer.from(chunk));
        const all = Buffer.concat(chunks);
        expect(accumulator.length).toBe(all.length);
        expect(accumulator.take()).toEqual(all);
        expect([accumulator.length, accumulator.take().length]).toEqual([0, 0]);
      }),
    );
  });

  it('starts empty after take, without changing the bytes already taken', () => {
    const accumulator = createByteAccumulator();
    for (const chunk of ['a', 'b', 'c']) accumulator.add(Buffer.from(chunk));
    const first = accumulator.take();
    for (const chunk of ['x', 'y', 'z']) accumulator.add(Buffer.from(chunk));
    expect([String(first), String(accumulator.take())]).toEqual(['abc', 'xyz']);
  });

  it('does not modify the chunks it was given', () => {
    const accumulator = createByteAccumulator();
    const large = Buffer.from('0123456789');
    accumulator.add(large.subarray(0, 3));
    accumulator.add(Buffer.from('x'));
    expect([String(large), String(accumulator.take())]).toEqual(['0123456789', '012x']);
  });

  it('returns a single chunk without copying it', () => {
    const accumulator = createByteAccumulator();
    const chunk = Buffer.from('abc');
    accumulator.add(chunk);
    expect(accumulator.take().buffer).toBe(chunk.buffer);
  });

  it('allocates at most twice the bytes received, even from a million chunks', () => {
    const accumulator = createByteAccumulator();
    for (let count = 0; count < 1_000_000; count++) accumulator.add(Buffer.from([count & 0xff]));
    const all = accumulator.take();
    expect(all.length).toBe(1_000_000);
    expect(all.buffer.byteLength).toBeLessThanOrEqual(2_000_000);
    expect([all[0], all[999_999]]).toEqual([0, 999_999 & 0xff]);
  });
});
