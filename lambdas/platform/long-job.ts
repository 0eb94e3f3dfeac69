/** The controls of work that may run for minutes or hours: cancellation, progress and waiting. */
export interface LongJob {
  /** Aborts when the operator stops the command: between two steps, `signal.throwIfAborted()` ends the job. */
  signal: AbortSignal;
  /** Tells how far the work is, as often as one likes. */
  report(text: string): void;
  /** Says something at once, on a line that stays. */
  note(text: string): void;
  /** Waits and says so; ends the job when it is stopped. */
  wait(ms: number, reason: string): Promise<void>;
}
