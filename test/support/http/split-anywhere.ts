/** Splits bytes into chunks at random positions, for property tests. */
import { fc } from '../fast-check.ts';

export const splitAnywhere: fc.Arbitrary<(bytes: Buffer) => Buffer[]> = fc
  .array(fc.nat(1000), { maxLength: 40 })
  .map((positions) => (bytes) => {
    const ends = [...new Set(positions.map((position) => position % (bytes.length + 1)))].sort(
      (a, b) => a - b,
    );
    const chunks: Buffer[] = [];
    let start = 0;
    for (const end of [...ends, bytes.length]) {
      if (end > start) chunks.push(bytes.subarray(start, end));
      start = end;
    }
    return chunks;
  });
