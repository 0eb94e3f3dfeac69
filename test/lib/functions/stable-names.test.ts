import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { createStableNames } from '#lib/functions/stable-names.ts';

const directory = mkdtempSync(join(tmpdir(), 'stable-names-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Returns the code by file name, as esbuild names it and as it is deployed. */
function bundle(lazyModule: string) {
  writeFileSync(join(directory, 'index.ts'), `export const load = () => import('./lazy.ts');`);
  writeFileSync(join(directory, 'lazy.ts'), lazyModule);
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: directory,
    entryPoints: ['index.ts'],
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    outdir: 'unwritten',
    write: false,
    metafile: true,
    sourcemap: 'external',
    sourcesContent: false,
  });
  const { rename } = createStableNames(metafile);
  const files = outputFiles
    .map(({ path, text }) => [basename(path), text] as const)
    .filter(([name]) => name.endsWith('.mjs'));
  return {
    original: Object.fromEntries(files),
    deployed: Object.fromEntries(files.map(([name, text]) => [rename(name), rename(text)])),
  };
}

it('names chunks so that a new comment does not change the bundle', () => {
  const before = bundle('export const value = 1;');
  const after = bundle('// A comment\nexport const value = 1;');

  expect(Object.keys(after.original)).not.toEqual(Object.keys(before.original));
  expect(after.deployed).toEqual(before.deployed);
  const [chunk = ''] = Object.keys(after.deployed).filter((name) => name !== 'index.mjs');
  expect(chunk).toMatch(/^lazy-[0-9A-F]{8}\.mjs$/);
  expect(after.deployed['index.mjs']).toContain(`import("./${chunk}")`);
});
