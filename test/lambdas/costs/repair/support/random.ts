import { seededRandom } from '#test/support/seeded-random.ts';

export interface Random {
  /** An integer from 0 to the limit, exclusive. */
  below(limit: number): number;
  pick<Value>(values: readonly Value[]): Value;
}

export function createRandom(seed: number): Random {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  return {
    below,
    pick(values) {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error('The list is empty');
      return value;
    },
  };
}
