/** Pseudo-random numbers that depend only on a seed: each day and each request has its own, whatever the others use. */
import { hash } from 'node:crypto';

/** Returns a number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

export function randomOf(seed: string): Random {
  let count = 0;
  return () => {
    count += 1;
    return hash('sha256', `${seed}/${count}`, 'buffer').readUInt32BE() / 2 ** 32;
  };
}

/** Both ends are included. */
export function integerBetween(random: Random, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1));
}

/** An integer between half and twice the median. */
export function near(random: Random, median: number): number {
  return Math.round(median * 2 ** (2 * random() - 1));
}

/** The weight of each choice is its share of all weights. */
export function pick<Value>(
  random: Random,
  choices: readonly Value[],
  weightOf: (choice: Value, index: number) => number,
): Value {
  const weights = choices.map(weightOf);
  let remaining = random() * weights.reduce((sum, weight) => sum + weight, 0);
  const found = choices.find((_, index) => {
    remaining -= weights[index] ?? 0;
    return remaining < 0;
  });
  if (found === undefined) throw new Error('There is nothing to choose from');
  return found;
}

export function hexadecimal(random: Random, length: number): string {
  return Array.from({ length }, () => integerBetween(random, 0, 15).toString(16)).join('');
}
