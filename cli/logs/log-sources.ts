/** Sources of the chat function's log lines: CloudWatch, a file, or standard input. */
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { entryEvents, type LogLine, type LogSource } from '#lambdas/request-log/recover/log-line.ts';
import type { ChatLog } from '../connection/gateway-connection.ts';
import { AdminError } from '../errors.ts';
import type { Terminal } from '../terminal.ts';

/** Only lines with entries. They come in pages, some of them empty. */
export async function* readCloudWatch({ client, logGroupName }: ChatLog, window: TimeWindow): LogSource {
  // Loaded only here, since no other command needs it.
  const { paginateFilterLogEvents } = await import('@aws-sdk/client-cloudwatch-logs');
  const pages = paginateFilterLogEvents(
    { client },
    {
      logGroupName,
      startTime: window.startMs,
      // Inclusive, unlike the end of a window.
      endTime: window.endMs - 1,
      filterPattern: entryEvents.map((event) => `?"${event}"`).join(' '),
    },
  );
  for await (const { events = [] } of pages) {
    yield events.map(({ message = '', timestamp = null }) => ({ text: message, atMs: timestamp }));
  }
}

const maxBatchLines = 1000;

interface ReadOptions {
  terminal: Pick<Terminal, 'input' | 'environment'>;
  /** Ends the lines, since standard input may never end. */
  signal: AbortSignal;
}

/** "-" is standard input. A relative path starts from where npm was called, which itself goes to the project's folder. */
export async function* readLogFile(file: string, { terminal, signal }: ReadOptions): LogSource {
  const path = resolve(terminal.environment.INIT_CWD ?? process.cwd(), file);
  const input = file === '-' ? terminal.input : createReadStream(path);
  let lines: LogLine[] = [];
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY, signal })) {
      lines.push({ text, atMs: null });
      if (lines.length < maxBatchLines) continue;
      yield lines;
      lines = [];
    }
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error;
    throw isMissing ? new AdminError(`--file: ${path} cannot be read (${error.code})`) : error;
  }
  yield lines;
}
