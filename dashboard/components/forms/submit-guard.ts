import { useCallback, useEffect, useState } from 'react';

/** Lets one action run at a time. Unlike the state of a component, it changes within the same tick. */
export class SubmitGuard {
  #isHeld = false;
  readonly #onSettled: () => void;

  /** @param onSettled called when an action that takes time has ended, after which the guard waits for its release */
  constructor(onSettled: () => void) {
    this.#onSettled = onSettled;
  }

  /** Does nothing while an action runs. The action itself shows its error. */
  run(action: () => unknown): void {
    if (this.#isHeld) return;
    const result = action();
    if (!(result instanceof Promise)) return;
    this.#isHeld = true;
    result.then(this.#onSettled, this.#onSettled);
  }

  release(): void {
    this.#isHeld = false;
  }
}

/**
 * Returns a function that runs an action unless one is running. An action ends when the page shows its result: until then,
 * the form or the button is still there, and would be pressed again.
 */
export function useSubmitGuard(): SubmitGuard['run'] {
  const [settledCount, setSettledCount] = useState(0);
  const [guard] = useState(() => new SubmitGuard(() => setSettledCount((count) => count + 1)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: released when the result of an action is on the page.
  useEffect(() => guard.release(), [guard, settledCount]);
  return useCallback((action) => guard.run(action), [guard]);
}
