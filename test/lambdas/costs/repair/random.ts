export interface Random {
  /** An integer from 0 to the limit, exclusive. */
  below(limit: number): number;
  pick<Value>(values: readonly Value[]): Value;
}

/** Mulberry32, by Tommy Ettinger. */
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
      if (value === undefined) throw new Error('The list is empty');
      return value;
    },
  };
}
