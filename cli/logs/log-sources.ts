import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { entryFilterPattern, type LogSource } from '#lambdas/request-log/recover/log-line.ts';
import type { ChatLog } from '../connection/gateway-connection.ts';
import { AdminError } from '../errors.ts';
import { resolvePath, type Terminal } from '../terminal.ts';

/** Yields only log lines that contain entries, page by page. Pages can be empty. */
export async function* readCloudWatch({ client, logGroupName }: ChatLog, window: TimeWindow): LogSource {
  // Imported on demand: no other command needs the CloudWatch client.
  const { paginateFilterLogEvents } = await import('@aws-sdk/client-cloudwatch-logs');
  const pages = paginateFilterLogEvents(
    { client },
    {
      logGroupName,
      startTime: window.startMs,
      // `endTime` is inclusive, unlike the end of a window.
      endTime: window.endMs - 1,
      filterPattern: entryFilterPattern,
    },
  );
  for await (const { events = [] } of pages) {
    yield events.map(({ message = '' }) => message);
  }
}

const maxBatchLines = 1000;

interface ReadOptions {
  terminal: Pick<Terminal, 'input' | 'environment'>;
  /** Stops reading, since standard input may never end. */
  signal: AbortSignal;
}

/** Reads standard input for "-". */
export async function* readLogFile(file: string, { terminal, signal }: ReadOptions): LogSource {
  const path = resolvePath(file, terminal.environment);
  const input = file === '-' ? terminal.input : createReadStream(path);
  let lines: string[] = [];
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY, signal })) {
      lines.push(text);
      if (lines.length < maxBatchLines) continue;
      yield lines;
      lines = [];
    }
  } catch (error) {
    const isSystemError = error instanceof Error && 'code' in error;
    throw isSystemError ? new AdminError(`--file: ${path} cannot be read (${error.code})`) : error;
  }
  yield lines;
}
