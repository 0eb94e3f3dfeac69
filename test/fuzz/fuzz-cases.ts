/**
 * How many cases the fuzzers run, and from which seed. `FUZZ_CASES` is the number of all of them together, `FUZZ_SEED`
 * repeats a run; a case that fails is told with both its seed and its path.
 */
const allCases = Number(process.env.FUZZ_CASES ?? 6000);
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 0x7fff_ffff));

/** Of all cases in a hundred. They come to a hundred. */
const shares = {
  requests: 35,
  'provider answers': 40,
  'provider bytes': 8,
  reports: 17,
} as const;

export interface FuzzPlan {
  /** For the name of the test. */
  title: string;
  parameters: { numRuns: number; seed: number };
  timeoutMs: number;
}

/** A part of a share, where several tests make one. */
export function planFuzzing(share: keyof typeof shares, part = 1): FuzzPlan {
  const numRuns = Math.max(1, Math.round((allCases * shares[share] * part) / 100));
  return {
    title: `${numRuns} cases from seed ${seed}`,
    parameters: { numRuns, seed },
    timeoutMs: 30_000 + numRuns * 20,
  };
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
