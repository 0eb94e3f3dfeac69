/** Pseudo-random numbers that depend only on a seed: each day and each request has its own, whatever the others use. */
import { hash } from 'node:crypto';

/** Returns a number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

const bytesPerNumber = 4;

export function randomOf(seed: string): Random {
  let block = 0;
  let bytes = Buffer.alloc(0);
  return () => {
    if (bytes.length === 0) {
      bytes = hash('sha256', `${seed}/${block}`, 'buffer');
      block += 1;
    }
    const number = bytes.readUInt32BE() / 2 ** 32;
    bytes = bytes.subarray(bytesPerNumber);
    return number;
  };
}

/** An integer; both ends are included. */
export function integerBetween(random: Random, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1));
}

/** Half of the values are below the median, and two thirds between `median / e^sigma` and `median * e^sigma`. */
export function lognormal(random: Random, median: number, sigma: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return median * Math.exp(sigma * normal);
}

export type Weighted<Value> = readonly [value: Value, weight: number];

export function pick<Value>(
  random: Random,
  choices: readonly [Weighted<Value>, ...Weighted<Value>[]],
): Value {
  const total = choices.reduce((sum, [, weight]) => sum + weight, 0);
  let remaining = random() * total;
  const found = choices.find(([, weight]) => {
    remaining -= weight;
    return remaining < 0;
  });
  return (found ?? choices[0])[0];
}

export function hexadecimal(random: Random, length: number): string {
  return Array.from({ length }, () => integerBetween(random, 0, 15).toString(16)).join('');
}
