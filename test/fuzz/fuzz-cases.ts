/** How many cases the fuzzers run. A case that fails is named with its seed and its path, which `fc.assert` can repeat. */
import { inThisForm } from '#test/support/test-form.ts';

/** Of all fuzzers together. */
const allCases = inThisForm({ short: 2000, long: 100_000 });

/** In a hundred of all cases. They add up to a hundred. */
const shares = {
  requests: 35,
  'provider answers': 32,
  'provider answers cut': 8,
  'provider bytes': 8,
  reports: 17,
} as const;

export function fuzzCases(fuzzer: keyof typeof shares): number {
  return Math.round((allCases * shares[fuzzer]) / 100);
}

/** Fails when the promise takes longer than anything should that waits for nobody. */
export async function withoutHanging<Result>(promise: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('It hangs')), 10_000);
  });
  try {
    return await Promise.race([promise, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
