import { onTestFinished } from 'vitest';
import { interceptLogLines } from './intercept-log-lines.ts';
import { type LogLine, withoutCommonFields } from './log-lines.ts';

/** Collects the lines that the functions' log writes to standard output, until the test ends. They are not printed. */
export function recordLogLines(): LogLine[] {
  const lines: LogLine[] = [];
  onTestFinished(interceptLogLines((line) => lines.push(withoutCommonFields(JSON.parse(line)))));
  return lines;
}
