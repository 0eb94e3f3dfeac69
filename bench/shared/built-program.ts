/** A program of a bench as JavaScript: Node would load its translator into a process whose memory is what counts. */
import { basename, join, relative } from 'node:path';
import { buildSync } from 'esbuild';

const folder = join(import.meta.dirname, '..');

/** `program` is a file under `bench/`; what is returned stands for it in `startBenchProcess`. */
export function buildProgram(program: string, directory: string): string {
  const outfile = join(directory, basename(program).replace(/\.ts$/, '.mjs'));
  buildSync({
    entryPoints: [join(folder, program)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
  });
  return relative(folder, outfile);
}
