/** How far a partial file is good, in a small file beside it. */
import type { Stats } from 'node:fs';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { AdminError } from '#cli/admin-error.ts';

export interface Mark<Progress> {
  task: string;
  /** Who is writing. */
  pid: number;
  /** Of the partial file. */
  bytes: number;
  /** The writer's own; `null` at the beginning. */
  progress: Progress | null;
}

/** Entries say who used what: for the eyes of whoever runs this. */
export const privateMode = 0o600;

export function partialOf(path: string): string {
  return `${path}.partial`;
}

export function markOf(path: string): string {
  return `${path}.partial.json`;
}

/** What an earlier run of the same task left; `null` when there is nothing to go on with. */
export async function findMark<Progress>(path: string, task: string): Promise<Mark<Progress> | null> {
  const mark = await readMark<Progress>(path);
  const partial = await statOf(partialOf(path));
  if (mark === null || partial === null) return null;
  if (mark.pid !== process.pid && isRunning(mark.pid)) {
    throw new AdminError(
      `Process ${mark.pid} is writing ${partialOf(path)}: wait for it, or delete that file if the process is another by now`,
    );
  }
  const isGood = mark.task === task && mark.progress !== null && partial.size >= mark.bytes;
  return isGood ? mark : null;
}

/** Whole, or as it was before. */
export async function writeMark<Progress>(path: string, mark: Mark<Progress>): Promise<void> {
  const written = `${markOf(path)}.new`;
  await writeFile(written, JSON.stringify(mark), { mode: privateMode, flush: true });
  await rename(written, markOf(path));
}

async function readMark<Progress>(path: string): Promise<Mark<Progress> | null> {
  try {
    return JSON.parse(await readFile(markOf(path), 'utf8'));
  } catch {
    // There is none, or it is of no use.
    return null;
  }
}

/** `null` when there is no file. */
export async function statOf(path: string): Promise<Stats | null> {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: there is one, of another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
