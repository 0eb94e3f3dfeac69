/** Tells how far `npm start` is, since the first start takes a minute and later ones a few seconds. */
import { secondMs } from '#lambdas/platform/duration.ts';

interface StartProgress {
  /** A step begins; the one before has ended. */
  begin(step: string): void;
  end(): void;
}

const repeatMs = 10 * secondMs;

/** Prints each step with the seconds since the start, and a step that still runs every ten seconds. */
export function createStartProgress(print: (line: string) => void, now: () => number): StartProgress {
  const startedMs = now();
  let current = '';
  const printStep = (note: string) => {
    const seconds = Math.round((now() - startedMs) / secondMs);
    print(`${String(seconds).padStart(3)} s  ${current}${note}`);
  };
  const timer = setInterval(() => {
    if (current !== '') printStep(', still running');
  }, repeatMs).unref();
  return {
    begin(step) {
      current = step;
      printStep('');
    },
    end() {
      clearInterval(timer);
    },
  };
}
