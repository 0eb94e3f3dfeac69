import { describe, expect, it } from 'vitest';
import { createByteAccumulator } from '#lambdas/inference/providers/http/sse.ts';
import { fc } from '#test/support/fast-check.ts';

describe('gathered bytes', () => {
  it('are those that came, whatever the pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 20 })), (pieces) => {
        const gathered = createByteAccumulator();
        for (const piece of pieces) gathered.add(Buffer.from(piece));
        const all = Buffer.concat(pieces);
        expect(gathered.length).toBe(all.length);
        expect(gathered.take()).toEqual(all);
        expect([gathered.length, gathered.take().length]).toEqual([0, 0]);
      }),
    );
  });

  it('begin anew when they were taken, and leave what was taken as it is', () => {
    const gathered = createByteAccumulator();
    for (const piece of ['a', 'b', 'c']) gathered.add(Buffer.from(piece));
    const first = gathered.take();
    for (const piece of ['x', 'y', 'z']) gathered.add(Buffer.from(piece));
    expect([String(first), String(gathered.take())]).toEqual(['abc', 'xyz']);
  });

  it('do not change a piece that was given', () => {
    const gathered = createByteAccumulator();
    const large = Buffer.from('0123456789');
    gathered.add(large.subarray(0, 3));
    gathered.add(Buffer.from('x'));
    expect([String(large), String(gathered.take())]).toEqual(['0123456789', '012x']);
  });

  it('copy nothing when they came in one piece', () => {
    const gathered = createByteAccumulator();
    const piece = Buffer.from('abc');
    gathered.add(piece);
    expect(gathered.take().buffer).toBe(piece.buffer);
  });

  it('take at most twice their room, also in a million pieces', () => {
    const gathered = createByteAccumulator();
    for (let count = 0; count < 1_000_000; count++) gathered.add(Buffer.from([count & 0xff]));
    const all = gathered.take();
    expect(all.length).toBe(1_000_000);
    expect(all.buffer.byteLength).toBeLessThanOrEqual(2_000_000);
    expect([all[0], all[999_999]]).toEqual([0, 999_999 & 0xff]);
  });
});
