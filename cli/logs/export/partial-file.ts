/**
 * Writes a file that gets its final name only when it is complete.
 *
 * Until then it is named `FILE.partial`, and `FILE.partial.json` (the checkpoint) records how many of its bytes are
 * valid. The checkpoint is written after the data that it covers, so the process can be killed at any time: a later run
 * truncates the file to the checkpoint, since the rest may end in the middle of a line, and continues from there.
 */

import type { Stats } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { AdminError, usageError } from '#cli/errors.ts';
import { parseJson } from '#lambdas/platform/json/json.ts';
import type { TerminalOutput } from '#lib/terminal-output.mjs';

export interface ExportSink<Progress> {
  /** The progress of the earlier run that this one continues; `null` when it starts from the beginning. */
  readonly resumed: Progress | null;
  /** Resolves when the sink is ready for more, so that a slow sink applies backpressure to the reader. */
  write(text: string): Promise<void>;
  checkpoint(progress: Progress): Promise<void>;
  finish(): Promise<void>;
  /** Closes an incomplete output so that a later run can continue it. */
  suspend(): Promise<void>;
}

/** Writes to a stream such as standard output, which cannot be continued and stays open. */
export function streamSink(output: Pick<TerminalOutput, 'writeData'>): ExportSink<never> {
  return {
    resumed: null,
    write: (text) =>
      new Promise((resolve, reject) => {
        // The stream's error listener reports the reason.
        const fail = () => reject(new AdminError('Not all entries were written'));
        output.writeData(text, (error) => (error ? fail() : resolve()));
      }),
    async checkpoint() {},
    async finish() {},
    async suspend() {},
  };
}

interface PartialFileOptions<Progress> {
  path: string;
  /** Identifies the content. A partial file of another task is not continued. */
  task: string;
  progressSchema: z.ZodType<Progress>;
  overwrite: boolean;
  nowMs(): number;
}

const checkpointIntervalMs = 2000;

export async function openPartialFile<Progress>(
  options: PartialFileOptions<Progress>,
): Promise<ExportSink<Progress>> {
  const { path, nowMs } = options;
  const { file, checkpoint } = await preparePartialFile(options).catch((error: Error) => {
    throw error instanceof AdminError ? error : usageError(`--output: ${error.message}`);
  });
  const resumed = checkpoint.progress;
  let writtenBytes = checkpoint.bytes;
  let savedAtMs = nowMs();
  const save = async () => {
    await file.datasync();
    await writeCheckpoint(path, checkpoint);
    savedAtMs = nowMs();
  };
  return {
    resumed,
    async write(text) {
      await file.appendFile(text);
      writtenBytes += Buffer.byteLength(text);
    },
    async checkpoint(progress) {
      checkpoint.bytes = writtenBytes;
      checkpoint.progress = progress;
      if (nowMs() - savedAtMs >= checkpointIntervalMs) await save();
    },
    async finish() {
      await file.sync();
      await file.close();
      await renameToFinal(path, writtenBytes);
    },
    async suspend() {
      await save();
      await file.close();
    },
  };
}

interface Checkpoint<Progress> {
  task: string;
  pid: number;
  /** The length of the valid part of the partial file. */
  bytes: number;
  /** `null` before the first checkpoint. */
  progress: Progress | null;
}

/** Log entries are confidential: only the operator may read the file. */
const privateMode = 0o600;
const partialPath = (path: string) => `${path}.partial`;
const checkpointPath = (path: string) => `${path}.partial.json`;

/** Opens the partial file for appending, empty or truncated to its checkpoint. */
async function preparePartialFile<Progress>(
  options: PartialFileOptions<Progress>,
): Promise<{ file: FileHandle; checkpoint: Checkpoint<Progress> }> {
  const { path, task, overwrite } = options;
  const existing = await statIfExists(path);
  if (existing && !existing.isFile()) throw usageError(`--output: ${path} is not a regular file`);
  if (existing && !overwrite) {
    throw usageError(`--output: ${path} already exists: replace it with --force`);
  }
  const previous = await findCheckpoint(options);
  const { bytes, progress } = previous ?? { bytes: 0, progress: null };
  const checkpoint = { task, pid: process.pid, bytes, progress };
  await writeCheckpoint(path, checkpoint);
  if (previous === null) await writeFile(partialPath(path), '', { mode: privateMode });
  else await truncate(partialPath(path), bytes);
  return { file: await open(partialPath(path), 'a', privateMode), checkpoint };
}

/** Finds the checkpoint of an earlier run of the same task; `null` when there is nothing to continue. */
async function findCheckpoint<Progress>({
  path,
  task,
  progressSchema,
}: PartialFileOptions<Progress>): Promise<Checkpoint<Progress> | null> {
  const schema = z.object({
    task: z.string(),
    pid: z.number().int().positive(),
    bytes: z.number().int().nonnegative(),
    progress: progressSchema.nullable(),
  });
  const text = await readFile(checkpointPath(path), 'utf8').catch(() => '');
  // An invalid checkpoint is ignored, so the file is written from the beginning.
  const { data: checkpoint } = schema.safeParse(parseJson(text));
  const partial = await statIfExists(partialPath(path));
  if (checkpoint === undefined || partial === null) return null;
  if (checkpoint.pid !== process.pid && isRunning(checkpoint.pid)) {
    throw new AdminError(
      `Process ${checkpoint.pid} is writing ${partialPath(path)}: wait for it to finish, or delete the file if that process is not an export`,
    );
  }
  const isUsable =
    checkpoint.task === task && checkpoint.progress !== null && partial.size >= checkpoint.bytes;
  return isUsable ? checkpoint : null;
}

/** Replaces the checkpoint atomically. */
async function writeCheckpoint(path: string, checkpoint: Checkpoint<unknown>): Promise<void> {
  const temporaryPath = `${checkpointPath(path)}.new`;
  await writeFile(temporaryPath, JSON.stringify(checkpoint), { mode: privateMode, flush: true });
  await rename(temporaryPath, checkpointPath(path));
}

/** Throws when the file does not have the expected length, because another process has written to it concurrently. */
async function renameToFinal(path: string, writtenBytes: number): Promise<void> {
  const partial = partialPath(path);
  if ((await statIfExists(partial))?.size !== writtenBytes) {
    await rm(checkpointPath(path), { force: true });
    throw new AdminError(`${partial} was changed by another process: run this command again to start over`);
  }
  await rename(partial, path);
  await rm(checkpointPath(path), { force: true });
}

async function statIfExists(path: string): Promise<Stats | null> {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process is running as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
