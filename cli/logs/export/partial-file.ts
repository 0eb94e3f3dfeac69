/**
 * A file that gets its name when it is complete.
 *
 * Until then it is `FILE.partial`, and `FILE.partial.json` says how far that is good. Both are written so that the
 * process can be killed at any moment: what the second one says was in the first one before. A later run cuts off what
 * may be half a line, and goes on from there.
 */
import { type FileHandle, open, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { AdminError, usageError } from '#cli/admin-error.ts';
import type { ExportSink } from './export-sink.ts';
import { findMark, type Mark, markOf, partialOf, privateMode, statOf, writeMark } from './partial-mark.ts';

export interface PartialFileOptions {
  path: string;
  /** What is to be written: nothing else is gone on with. */
  task: string;
  /** Whether a file that has the name already may be replaced. */
  mayReplace: boolean;
  nowMs(): number;
}

const markIntervalMs = 2000;

export async function openPartialFile<Progress>(options: PartialFileOptions): Promise<ExportSink<Progress>> {
  const { path, nowMs } = options;
  const { file, mark, resumed } = await beginFile<Progress>(options).catch((error: Error) => {
    throw error instanceof AdminError ? error : usageError(`--output: ${error.message}`);
  });
  let written = mark.bytes;
  let markedAtMs = nowMs();
  const keepMark = async () => {
    await file.datasync();
    await writeMark(path, mark);
    markedAtMs = nowMs();
  };
  return {
    resumed,
    async write(text) {
      await file.appendFile(text);
      written += Buffer.byteLength(text);
    },
    async reach(progress) {
      mark.bytes = written;
      mark.progress = progress;
      if (nowMs() - markedAtMs >= markIntervalMs) await keepMark();
    },
    async finish() {
      await file.sync();
      await file.close();
      await nameFile(path, written);
    },
    async leave() {
      await keepMark();
      await file.close();
    },
  };
}

async function refuseTaken({ path, mayReplace }: PartialFileOptions): Promise<void> {
  const taken = await statOf(path);
  if (taken && !taken.isFile()) throw usageError(`--output: ${path} is not a file`);
  if (taken && !mayReplace) {
    throw usageError(`--output: there is a file ${path} already: --force replaces it`);
  }
}

interface BegunFile<Progress> {
  file: FileHandle;
  mark: Mark<Progress>;
  resumed: Progress | null;
}

/** Empty, or as far as it is good. */
async function beginFile<Progress>(options: PartialFileOptions): Promise<BegunFile<Progress>> {
  const { path, task } = options;
  await refuseTaken(options);
  const earlier = await findMark<Progress>(path, task);
  const resumed = earlier?.progress ?? null;
  const mark: Mark<Progress> = { task, pid: process.pid, bytes: earlier?.bytes ?? 0, progress: resumed };
  await writeMark(path, mark);
  if (resumed === null) await writeFile(partialOf(path), '', { mode: privateMode });
  else await truncate(partialOf(path), mark.bytes);
  const file = await open(partialOf(path), 'a', privateMode);
  return { file, mark, resumed };
}

/** Of two that write at once, each would find the file longer than it made it. */
async function nameFile(path: string, written: number): Promise<void> {
  const partial = partialOf(path);
  if ((await statOf(partial))?.size !== written) {
    await rm(markOf(path), { force: true });
    throw new AdminError(`${partial} was changed by another process: run this again, to start anew`);
  }
  await rename(partial, path);
  await rm(markOf(path), { force: true });
}
