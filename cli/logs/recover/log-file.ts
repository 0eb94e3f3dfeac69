/** Lines of the chat function's log, and those that somebody keeps in a file. */
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { AdminError } from '#cli/admin-error.ts';
import type { Terminal } from '#cli/terminal.ts';

export interface LogLine {
  text: string;
  /** When it was printed; `null` when nobody noted that. */
  atMs: number | null;
}

/** Batches, in the order in which they were printed. */
export type LogSource = AsyncIterable<LogLine[]>;

const linesAtOnce = 1000;

interface ReadOptions {
  terminal: Pick<Terminal, 'input' | 'environment'>;
  /** Ends the lines: of standard input nobody knows when the next one comes. */
  signal: AbortSignal;
}

/** "-" is standard input. A path is seen from where npm was called, which itself goes to the project's folder. */
export async function* readLogFile(file: string, { terminal, signal }: ReadOptions): LogSource {
  const path = resolve(terminal.environment.INIT_CWD ?? process.cwd(), file);
  const input = file === '-' ? terminal.input : createReadStream(path);
  let lines: LogLine[] = [];
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY, signal })) {
      lines.push({ text, atMs: null });
      if (lines.length < linesAtOnce) continue;
      yield lines;
      lines = [];
    }
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error;
    throw isMissing ? new AdminError(`${path} cannot be read (${error.code})`) : error;
  }
  yield lines;
}
