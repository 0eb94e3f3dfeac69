/**
 * A file that gets its name when it is complete.
 *
 * Until then it is `FILE.partial`, and `FILE.partial.json` says how far that is good. Both are written so that the
 * process can be killed at any moment: what the second one says was in the first one before. A later run cuts off what
 * may be half a line, and goes on from there.
 */
import { open, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { AdminError, usageError } from '../admin-error.ts';
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
  const { path, task, nowMs } = options;
  await refuseTaken(options);
  const earlier = await findMark<Progress>(path, task);
  const mark: Mark<Progress> = earlier ?? { task, pid: process.pid, bytes: 0, progress: null };
  await beginFile(path, { ...mark, pid: process.pid });
  const file = await open(partialOf(path), 'a', privateMode);
  let written = mark.bytes;
  let markedAtMs = nowMs();
  const keepMark = async () => {
    await file.datasync();
    await writeMark(path, mark);
    markedAtMs = nowMs();
  };
  return {
    resumed: earlier?.progress ?? null,
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
  if (taken?.isDirectory()) throw usageError(`--output: ${path} is a directory`);
  if (taken && !mayReplace) {
    throw usageError(`--output: there is a file ${path} already: --force replaces it`);
  }
}

/** Empty, or as far as it is good. */
async function beginFile<Progress>(path: string, mark: Mark<Progress>): Promise<void> {
  await writeMark(path, mark).catch(({ message }: Error) => {
    throw usageError(`--output: ${message}`);
  });
  if (mark.progress === null) await writeFile(partialOf(path), '', { mode: privateMode });
  else await truncate(partialOf(path), mark.bytes);
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
