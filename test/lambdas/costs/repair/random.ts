/** Chance that can be repeated: the same seed draws the same. */

export interface Random {
  /** From 0 up to, and without, the limit. */
  below(limit: number): number;
  pick<Value>(values: readonly Value[]): Value;
}

/** The generator mulberry32, by Tommy Ettinger. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  return {
    below,
    pick(values) {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error('There is nothing to pick from');
      return value;
    },
  };
}
