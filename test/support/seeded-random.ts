/** A seeded pseudo-random number generator, so that a failed run can be repeated. */

/** Returns a number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

/** Mulberry32, which has 32 bits of state: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
