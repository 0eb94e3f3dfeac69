/** V8's compile cache as a function could carry it: filled once, then read-only as all of `/var/task` is. */
import { chmodSync, globSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Starter } from './measure.ts';

/** The folder, beside the file that it is for. */
export function fillCompileCache(start: Starter, file: string): string {
  const folder = join(dirname(file), '.compile-cache');
  // Node writes it when the process ends.
  start({ file, inLambda: true, compileCache: folder });
  for (const path of globSync(`${folder}/**`)) chmodSync(path, statSync(path).isDirectory() ? 0o555 : 0o444);
  return folder;
}

export function sizeOf(folder: string): number {
  return globSync(`${folder}/**`)
    .map((path) => statSync(path))
    .reduce((sum, status) => sum + (status.isFile() ? status.size : 0), 0);
}
