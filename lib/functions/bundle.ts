/** Bundles functions with esbuild, unless their sources are unchanged since an earlier build. */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';
import { type Build, cachedBuild, contentKey, findBuild, projectRoot } from '../build-cache.ts';
import { standardErrors } from '../terminal-output.mjs';
import { bundleFolder } from './source-maps.ts';
import { createStableNames } from './stable-names.ts';

/** All files from which bundles are made, except for packages. Relative to the project. */
export const bundleSources = ['lambdas', 'lib/functions'] as const;

let bundlesKey: string | undefined;

function buildOf(entry: string): Build {
  bundlesKey ??= contentKey({ sources: bundleSources });
  return { kind: 'bundles', key: bundlesKey, part: entry.replaceAll('/', '-') };
}

const metafileName = 'metafile.json';

/**
 * Returns a directory with the folders `bundle` and `source-maps`. The bundle has an `index.mjs` and one chunk per dynamic
 * `import()`, which a cold start does not load. `entry` is relative to `lambdas`.
 */
export function cachedBundle(entry: string): string {
  return cachedBuild(buildOf(entry), (directory) => {
    standardErrors.write(`Building ${entry}\n`);
    const { files, sourceMaps, metafile } = buildBundle(entry);
    writeFiles(join(directory, 'bundle'), files);
    writeFiles(join(directory, 'source-maps'), sourceMaps);
    writeFileSync(join(directory, metafileName), JSON.stringify(metafile));
  });
}

/** Returns esbuild's metafile. Its outputs include source maps, and have the names before `createStableNames`. */
export function bundleMetafile(entry: string): Metafile {
  return JSON.parse(readFileSync(join(cachedBundle(entry), metafileName), 'utf8'));
}

/** Returns paths relative to the project root, without files that tree shaking removed completely. */
export function bundledFiles(entry: string): string[] {
  return Object.values(bundleMetafile(entry).outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
}

/** The entry points whose bundles are not in the cache. */
export function missingBundles(): string[] {
  return functionEntries().filter((entry) => findBuild(buildOf(entry)) === undefined);
}

/** By file name. */
type Files = ReadonlyMap<string, string>;

function writeFiles(directory: string, files: Files): void {
  mkdirSync(directory);
  for (const [name, text] of files) writeFileSync(join(directory, name), text);
}

function buildBundle(entry: string): { files: Files; sourceMaps: Files; metafile: Metafile } {
  const { outputFiles, metafile } = buildSync({
    ...bundleOptions(entry),
    outdir: bundleFolder,
    write: false,
    metafile: true,
    // No comment in the code names the map, which does not contain the source.
    sourcemap: 'external',
    sourcesContent: false,
  });
  const { rename } = createStableNames(metafile);
  const outputs = outputFiles.map(({ path, text }) => [rename(basename(path)), rename(text)] as const);
  const isSourceMap = ([name]: readonly [string, string]) => name.endsWith('.map');
  return {
    files: new Map(outputs.filter((output) => !isSourceMap(output))),
    sourceMaps: new Map(outputs.filter(isSourceMap)),
    metafile,
  };
}

export function bundleOptions(entry: string) {
  return {
    // Relative paths make the output, and so the asset hash, independent of the machine.
    absWorkingDir: projectRoot,
    entryPoints: { index: join('lambdas', entry) },
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // Prefer ES modules to CommonJS: tree shaking and code splitting halve the size of the chat function.
    mainFields: ['module', 'main'],
    // The original modules load more than the functions need. The replacements explain the details.
    alias: {
      'node:http': './lib/functions/node-http.mjs',
      '@aws-sdk/credential-provider-node': './lib/functions/sdk-credentials.mjs',
    },
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
  } as const satisfies BuildOptions;
}

/** The entry points of all functions, relative to `lambdas`. */
export function functionEntries(): string[] {
  return globSync('**/*.lambda.ts', { cwd: join(projectRoot, 'lambdas') });
}
