import { fc } from './fast-check.ts';
/** Cuts bytes into chunks at random places, for property tests. */

export const splitAnywhere: fc.Arbitrary<(bytes: Buffer) => Buffer[]> = fc
  .array(fc.nat(1000), { maxLength: 40 })
  .map((places) => (bytes) => {
    const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
    const chunks: Buffer[] = [];
    let from = 0;
    for (const cut of [...cuts, bytes.length]) {
      if (cut > from) chunks.push(bytes.subarray(from, cut));
      from = cut;
    }
    return chunks;
  });
