export interface SimulatedClock {
  readonly nowMs: number;
  /** Resolves when the clock has passed the time. */
  wait(milliseconds: number): Promise<void>;
  /** Resolves what is due, in order of time. */
  advance(milliseconds: number): void;
  /** True while something waits. */
  readonly isAwaited: boolean;
}

export function createSimulatedClock(startMs: number): SimulatedClock {
  let nowMs = startMs;
  let waiting: { dueMs: number; resolve: () => void }[] = [];
  return {
    get nowMs() {
      return nowMs;
    },
    get isAwaited() {
      return waiting.length > 0;
    },
    wait: (milliseconds) =>
      new Promise((resolve) => {
        waiting.push({ dueMs: nowMs + milliseconds, resolve });
      }),
    advance(milliseconds) {
      nowMs += milliseconds;
      const due = waiting.filter(({ dueMs }) => dueMs <= nowMs).sort((one, other) => one.dueMs - other.dueMs);
      waiting = waiting.filter(({ dueMs }) => dueMs > nowMs);
      for (const { resolve } of due) resolve();
    },
  };
}
