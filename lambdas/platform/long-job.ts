/** The connection of a long-running operation to its command: cancellation, progress output and pauses. */
export interface LongJob {
  /** Aborted when the operator stops the command. */
  signal: AbortSignal;
  /** Replaces the progress line. */
  report(text: string): void;
  /** Prints a line that stays visible. */
  note(text: string): void;
  /** Waits, showing the reason and the remaining time. Rejects when the operator stops the command. */
  wait(ms: number, reason: string): Promise<void>;
}
