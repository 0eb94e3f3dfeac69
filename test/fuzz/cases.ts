/** The number of cases for each fuzzer. A failure names its seed and path, with which `fc.assert` repeats it. */
import { byTestForm } from '#test/support/test-form.ts';

const totalCases = byTestForm({ short: 2000, long: 100_000 });

/** Percentages. Their sum is 100. */
const shares = {
  requests: 25,
  'provider responses': 27,
  dialects: 10,
  'provider response chunks': 8,
  'provider bytes': 8,
  reports: 17,
  'logged errors': 5,
} as const;

export function caseCount(fuzzer: keyof typeof shares): number {
  return Math.round((totalCases * shares[fuzzer]) / 100);
}

/** Rejects after 10 seconds. */
export async function withTimeout<Result>(promise: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The promise did not settle within 10 seconds')), 10_000);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
