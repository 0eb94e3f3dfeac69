/** The connection of a long-running operation to its command: cancellation, progress output and pauses. */
export interface LongJob {
  /** Aborted when the operator stops the command. The operation calls `signal.throwIfAborted()` between its steps. */
  signal: AbortSignal;
  /** Updates the progress line; can be called as often as you like. */
  report(text: string): void;
  /** Prints a message that stays visible. */
  note(text: string): void;
  /** Waits and shows the reason; rejects when the operator stops the command. */
  wait(ms: number, reason: string): Promise<void>;
}
