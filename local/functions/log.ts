/**
 * The log file of a function, which corresponds to its log group on AWS.
 *
 * The function's processes write to it directly, so no line is lost when the gateway's process is killed. The gateway
 * follows the file to print the lines.
 */
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

export interface FunctionLog {
  fileDescriptor: number;
  append(line: string): void;
  /** Reports the lines that have been written so far. */
  flush(): void;
  /** Reports the remaining lines and closes the file. Idempotent. */
  close(): void;
}

/** A larger file is rotated at the next start and replaces the previously rotated file. */
const maxBytesAtStart = 64 * 1024 * 1024;

const pollIntervalMs = 100;
const chunkBytes = 64 * 1024;

/** Calls `onLine` with each new line, within 100 ms. */
export function openFunctionLog(path: string, onLine: (line: string) => void): FunctionLog {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rotate(path);
  const fileDescriptor = openSync(path, 'a+', 0o600);
  const reportNewLines = followLines(fileDescriptor, onLine);
  const timer = setInterval(reportNewLines, pollIntervalMs).unref();
  let isOpen = true;
  return {
    fileDescriptor,
    append(line) {
      if (isOpen) writeSync(fileDescriptor, `${line}\n`);
    },
    flush() {
      if (isOpen) reportNewLines();
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      clearInterval(timer);
      reportNewLines();
      closeSync(fileDescriptor);
    },
  };
}

function rotate(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > maxBytesAtStart) renameSync(path, previousLogFile(path));
}

export function previousLogFile(path: string): string {
  return path.replace(/\.log$/, '.previous.log');
}

/** Returns a function that reports the lines completed since its last call. */
function followLines(fileDescriptor: number, onLine: (line: string) => void): () => void {
  let position = fstatSync(fileDescriptor).size;
  let incomplete = Buffer.alloc(0);
  const chunk = Buffer.alloc(chunkBytes);
  return () => {
    for (;;) {
      const length = readSync(fileDescriptor, chunk, 0, chunkBytes, position);
      if (length === 0) return;
      position += length;
      const text = Buffer.concat([incomplete, chunk.subarray(0, length)]);
      const end = text.lastIndexOf('\n') + 1;
      incomplete = text.subarray(end);
      const lines = text.toString('utf8', 0, end).split('\n');
      for (const line of lines.filter((candidate) => candidate !== '')) onLine(line);
    }
  };
}
