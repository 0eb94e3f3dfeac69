/**
 * The file that has a function's log lines: what its log group is on AWS.
 *
 * The function's processes write to it themselves, so a line survives the gateway's process however that ends. The
 * gateway follows the file to show the lines.
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
  /** Open for appending. */
  fileDescriptor: number;
  append(line: string): void;
  /** Shows what has not been shown yet. Does nothing the second time. */
  close(): void;
}

/** A longer file is set aside at the next start and replaces the one set aside before. */
const maxBytesAtStart = 64 * 1024 * 1024;

const pollIntervalMs = 100;
const chunkBytes = 64 * 1024;

/** `onLine` gets the lines written from now on, within 100 ms. */
export function openFunctionLog(path: string, onLine: (line: string) => void): FunctionLog {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rotate(path);
  const fileDescriptor = openSync(path, 'a+', 0o600);
  const showNewLines = followLines(fileDescriptor, onLine);
  const timer = setInterval(showNewLines, pollIntervalMs).unref();
  let isOpen = true;
  return {
    fileDescriptor,
    append(line) {
      if (isOpen) writeSync(fileDescriptor, `${line}\n`);
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      clearInterval(timer);
      showNewLines();
      closeSync(fileDescriptor);
    },
  };
}

function rotate(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > maxBytesAtStart) renameSync(path, path.replace(/\.log$/, '.previous.log'));
}

/** Each call reports the lines that have been completed since the last one. */
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
