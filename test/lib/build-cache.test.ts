import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build as esbuild } from 'esbuild';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { cachedBuild, contentKey, findBuild, projectRoot } from '#lib/build-cache.ts';
import { bundleSources } from '#lib/functions/bundle.ts';
import { assemblySources } from '#local/template/synthesize.ts';

const temporary = mkdtempSync(join(tmpdir(), 'build-cache-'));
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(temporary, 'test-'));
});
afterAll(() => rmSync(temporary, { recursive: true }));

function write(file: string, content: string): void {
  const path = join(directory, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

describe('contentKey', () => {
  const inputs = () => ({ directory, sources: ['cdk.json', 'lib'], values: ['{}'], nodeVersion: 'v24.0.0' });
  beforeEach(() => {
    for (const file of [
      'cdk.json',
      'lib/data/tables.ts',
      'package.json',
      'package-lock.json',
      'tsconfig.json',
    ])
      write(file, '1');
  });

  it('stays the same while nothing changes, and in a copy of the project', () => {
    const key = contentKey(inputs());
    write('README.md', 'Not a source.');

    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(contentKey(inputs())).toBe(key);
  });

  it.each([
    'cdk.json',
    'lib/data/tables.ts',
    'lib/data/new.ts',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
  ])('changes with %s', (file) => {
    const key = contentKey(inputs());
    write(file, '2');

    expect(contentKey(inputs())).not.toBe(key);
  });

  it('changes with the name of a file, with a value, and with the version of Node', () => {
    const key = contentKey(inputs());
    const others = [
      contentKey({ ...inputs(), values: ['{"chatMemoryMb":512}'] }),
      contentKey({ ...inputs(), values: ['{', '}'] }),
      contentKey({ ...inputs(), nodeVersion: 'v24.0.1' }),
    ];
    rmSync(join(directory, 'lib/data/tables.ts'));
    write('lib/data/table.ts', '1');

    expect(new Set([key, ...others, contentKey(inputs())]).size).toBe(5);
  });
});

/** All files of the project that are loaded, directly or not, but for packages. */
async function filesLoadedBy(entryPoints: string[]): Promise<string[]> {
  const { metafile } = await esbuild({
    absWorkingDir: projectRoot,
    entryPoints,
    bundle: true,
    write: false,
    metafile: true,
    outdir: 'unwritten',
    format: 'esm',
    platform: 'node',
    packages: 'external',
    // esbuild takes subpath imports for packages.
    alias: Object.fromEntries(['bin', 'lambdas', 'lib'].map((name) => [`#${name}`, `./${name}`])),
  });
  return Object.keys(metafile.inputs);
}

describe('The sources of builds', () => {
  const isIn = (sources: readonly string[]) => (file: string) =>
    sources.some((source) => file === source || file.startsWith(`${source}/`));

  it('include every file that the app loads', async () => {
    const loaded = await filesLoadedBy(['bin/app.ts']);

    expect(loaded).toContain('lambdas/inference/exchange/limits.ts');
    expect(loaded.filter((file) => !isIn(assemblySources)(file))).toEqual([]);
  });

  it('include every file that a function loads', async () => {
    const entryPoints = readdirSync(join(projectRoot, 'lambdas'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.lambda.ts'))
      .map((file) => join('lambdas', file));
    const loaded = await filesLoadedBy(entryPoints);

    expect(loaded).toContain('lambdas/pricing/table/price-data.ts');
    expect(loaded.filter((file) => !isIn(bundleSources)(file))).toEqual([]);
    expect(bundleSources.filter((source) => !isIn(assemblySources)(source))).toEqual([]);
  });
});

describe('cachedBuild', () => {
  const build = { kind: 'page', key: 'key-1', part: 'build' } as const;
  const writeText = (text: string) => (target: string) => writeFileSync(join(target, 'index.html'), text);
  const readText = (target: string) => readFileSync(join(target, 'index.html'), 'utf8');

  it('builds once for each kind, key and part', () => {
    const first = cachedBuild(build, writeText('1'), directory);
    const again = cachedBuild(build, writeText('2'), directory);
    const others = [{ kind: 'assembly' }, { key: 'key-2' }, { part: 'other' }].map((change) =>
      cachedBuild({ ...build, ...change } as typeof build, writeText('3'), directory),
    );

    expect(again).toBe(first);
    expect(readText(first)).toBe('1');
    expect(others.map(readText)).toEqual(['3', '3', '3']);
    expect(findBuild(build, directory)).toBe(first);
    expect(findBuild({ ...build, key: 'key-3' }, directory)).toBeUndefined();
  });

  it('keeps the build that another process has finished first', () => {
    const slow = cachedBuild(
      build,
      (target) => {
        writeText('slow')(target);
        cachedBuild(build, writeText('fast'), directory);
      },
      directory,
    );

    expect(readText(slow)).toBe('fast');
    expect(readdirSync(join(directory, 'unfinished'))).toEqual([]);
  });

  it('leaves nothing behind when a build fails', () => {
    const fail = () => {
      throw new Error('Missing import');
    };

    expect(() => cachedBuild(build, fail, directory)).toThrow('Missing import');
    expect(findBuild(build, directory)).toBeUndefined();
    expect(readdirSync(join(directory, 'unfinished'))).toEqual([]);
  });

  it('removes all but the 20 builds of a kind that were used last', () => {
    const [oldest = '', used = ''] = ['oldest', 'used'].map((key) =>
      cachedBuild({ ...build, key }, writeText(key), directory),
    );
    for (const [index, old] of [oldest, used].entries()) utimesSync(dirname(old), index, index);
    findBuild({ ...build, key: 'used' }, directory);
    for (let index = 0; index < 19; index += 1)
      cachedBuild({ ...build, key: `key-${index}` }, writeText('new'), directory);

    expect(existsSync(oldest)).toBe(false);
    expect(existsSync(used)).toBe(true);
    expect(readdirSync(join(directory, 'page'))).toHaveLength(20);
  });
});
