/** Limits the log lines, or log entries, about an event that callers cause, so that a flood of requests costs little. */
import { minuteMs } from '../duration.ts';

export interface LineLimit {
  /** Returns the number of events without a line since the last line, or `null` if this event gets none. */
  admit(nowMs: number): number | null;
}

const windowMs = minuteMs;

/** So that the last events of a flood, whose number no line tells yet, are few. */
const maxSuppressed = 50;

export function createLineLimit(linesPerMinute: number): LineLimit {
  let windowEndMs = 0;
  let lines = 0;
  let suppressed = 0;
  return {
    admit(nowMs) {
      if (nowMs >= windowEndMs) {
        windowEndMs = nowMs + windowMs;
        lines = 0;
      }
      if (lines >= linesPerMinute && suppressed < maxSuppressed - 1) {
        suppressed += 1;
        return null;
      }
      lines += 1;
      const count = suppressed;
      suppressed = 0;
      return count;
    },
  };
}
