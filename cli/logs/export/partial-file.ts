/**
 * A file that gets its name when it is complete.
 *
 * Until then it is `FILE.partial`, and `FILE.partial.json` (the checkpoint) says how much of it is good. The process can
 * be killed at any moment: what the checkpoint says is in the file was there before. A later run cuts off the rest, which
 * may end in half a line, and continues from there.
 */
import type { Stats } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { AdminError, usageError } from '#cli/errors.ts';
import { parseJson } from '#lambdas/platform/json/json.ts';

export interface ExportSink<Progress> {
  /** The progress of an earlier run, all of which is there; `null` when nothing is. */
  readonly resumed: Progress | null;
  /** Resolves when there is room for more, so that a slow sink slows down the reading. */
  write(text: string): Promise<void>;
  /** Called with what a later run has to know to continue from here. */
  checkpoint(progress: Progress): Promise<void>;
  /** Called when everything was written. */
  finish(): Promise<void>;
  /** Called when it was not. */
  suspend(): Promise<void>;
}

/** Writes to standard output, say, which cannot be continued and stays open. */
export function streamSink(output: NodeJS.WritableStream): ExportSink<never> {
  return {
    resumed: null,
    write: (text) =>
      new Promise((resolve, reject) => {
        // The reason is reported by the listener to the stream's errors.
        const incomplete = () => reject(new AdminError('Not all entries were written'));
        output.write(text, (error) => (error ? incomplete() : resolve()));
      }),
    async checkpoint() {},
    async finish() {},
    async suspend() {},
  };
}

export interface PartialFileOptions<Progress> {
  path: string;
  /** Identifies what is written: no file of another task is continued. */
  task: string;
  /** The schema of what `reach` is given. */
  progress: z.ZodType<Progress>;
  /** Whether a file that has the name already may be replaced. */
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
  /** The process that is writing. */
  pid: number;
  /** How much of the partial file is good. */
  bytes: number;
  /** `null` at the beginning. */
  progress: Progress | null;
}

/** Entries say who used what: only the operator may read them. */
const privateMode = 0o600;
const partialPath = (path: string) => `${path}.partial`;
const checkpointPath = (path: string) => `${path}.partial.json`;

/** Opens the file, empty or as far as it is good. */
async function preparePartialFile<Progress>(
  options: PartialFileOptions<Progress>,
): Promise<{ file: FileHandle; checkpoint: Checkpoint<Progress> }> {
  const { path, task, overwrite } = options;
  const taken = await statIfExists(path);
  if (taken && !taken.isFile()) throw usageError(`--output: ${path} is not a file`);
  if (taken && !overwrite) {
    throw usageError(`--output: there is a file ${path} already: --force replaces it`);
  }
  const earlier = await findCheckpoint(options);
  const { bytes, progress } = earlier ?? { bytes: 0, progress: null };
  const checkpoint = { task, pid: process.pid, bytes, progress };
  await writeCheckpoint(path, checkpoint);
  if (earlier === null) await writeFile(partialPath(path), '', { mode: privateMode });
  else await truncate(partialPath(path), bytes);
  return { file: await open(partialPath(path), 'a', privateMode), checkpoint };
}

/** Left by an earlier run of the same task; `null` when there is nothing to continue. */
async function findCheckpoint<Progress>({
  path,
  task,
  progress,
}: PartialFileOptions<Progress>): Promise<Checkpoint<Progress> | null> {
  const schema = z.object({
    task: z.string(),
    pid: z.number().int().positive(),
    bytes: z.number().int().nonnegative(),
    progress: progress.nullable(),
  });
  const text = await readFile(checkpointPath(path), 'utf8').catch(() => '');
  // One that cannot be read is of no use: the file is begun again.
  const { data: checkpoint } = schema.safeParse(parseJson(text));
  const partial = await statIfExists(partialPath(path));
  if (checkpoint === undefined || partial === null) return null;
  if (checkpoint.pid !== process.pid && isRunning(checkpoint.pid)) {
    throw new AdminError(
      `Process ${checkpoint.pid} is writing ${partialPath(path)}: wait for it, or delete that file if the process is another by now`,
    );
  }
  const isGood = checkpoint.task === task && checkpoint.progress !== null && partial.size >= checkpoint.bytes;
  return isGood ? checkpoint : null;
}

/** Replaces the file as a whole. */
async function writeCheckpoint(path: string, checkpoint: Checkpoint<unknown>): Promise<void> {
  const written = `${checkpointPath(path)}.new`;
  await writeFile(written, JSON.stringify(checkpoint), { mode: privateMode, flush: true });
  await rename(written, checkpointPath(path));
}

/** Two processes that write at once would each find the file longer than their own output. */
async function renameToFinal(path: string, writtenBytes: number): Promise<void> {
  const partial = partialPath(path);
  if ((await statIfExists(partial))?.size !== writtenBytes) {
    await rm(checkpointPath(path), { force: true });
    throw new AdminError(`${partial} was changed by another process: run this again, to start anew`);
  }
  await rename(partial, path);
  await rm(checkpointPath(path), { force: true });
}

/** `null` when there is no file. */
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
    // EPERM: it is running, as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
