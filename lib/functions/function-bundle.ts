import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AssetHashType, FileSystem, type ILocalBundling } from 'aws-cdk-lib';
import { Code, Runtime } from 'aws-cdk-lib/aws-lambda';
import { type BuildOptions, buildSync } from 'esbuild';
import { cachedBuild, contentKey, projectRoot } from '../build-cache.ts';
import { pagePackageDirectories } from '../dashboard/page-build.ts';
import { packageDirectory } from './package-directory.ts';
import { bundleFolder, writeSourceMaps } from './source-maps.ts';
import { createStableNames } from './stable-names.ts';

/** Defines `require` for bundled CommonJS packages, which use it to load Node's built-in modules. */
const requireBanner =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/** Returns a bundle of `index.mjs` and one chunk per dynamic `import()`, which a cold start does not load. */
export function functionBundle(entry: string): Code {
  return Code.fromAsset(join(projectRoot, 'lambdas', dirname(entry)), {
    // Hash the output, not the folder: functions import files from outside, and comments must not cause deployments.
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: Runtime.NODEJS_24_X.bundlingImage,
      local: bundleWithEsbuild(entry),
      // Makes the options unique: CDK bundles a folder once per set of options, but it may have several entry points.
      environment: { ENTRY_POINT: entry },
    },
  });
}

function bundleWithEsbuild(entry: string): ILocalBundling {
  return {
    tryBundle(outputDirectory) {
      const build = cachedBundle(entry);
      cpSync(join(build, 'bundle'), outputDirectory, { recursive: true });
      // CDK computes the same hash for the asset, but only afterwards.
      const assetHash = FileSystem.fingerprint(outputDirectory);
      writeSourceMaps(
        { assemblyDirectory: dirname(outputDirectory), assetHash },
        readFiles(join(build, 'source-maps')),
      );
      return true;
    },
  };
}

/** All files from which bundles are made, except for packages. Relative to the project. */
export const bundleSources = ['lambdas', 'lib/functions'] as const;

let bundlesKey: string | undefined;

/** Returns a directory with the folders `bundle` and `source-maps`. */
function cachedBundle(entry: string): string {
  bundlesKey ??= contentKey({ sources: bundleSources });
  return cachedBuild({ kind: 'bundles', key: bundlesKey, part: entry.replaceAll('/', '-') }, (directory) => {
    const { files, sourceMaps } = buildBundle(entry);
    writeFiles(join(directory, 'bundle'), files);
    writeFiles(join(directory, 'source-maps'), sourceMaps);
  });
}

/** By file name. */
type Files = ReadonlyMap<string, string>;

function writeFiles(directory: string, files: Files): void {
  mkdirSync(directory);
  for (const [name, text] of files) writeFileSync(join(directory, name), text);
}

function readFiles(directory: string): Files {
  return new Map(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]));
}

function buildBundle(entry: string): { files: Files; sourceMaps: Files } {
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
    banner: { js: requireBanner },
    logLevel: 'warning',
  } as const satisfies BuildOptions;
}

export interface BundledPackage {
  name: string;
  version: string;
  /** An SPDX expression. */
  licence: string;
}

/** Packages whose data `bin/prices.ts` copies into the source. They are not among a bundle's inputs. */
export const dataPackages: readonly BundledPackage[] = ['node_modules/@pydantic/genai-prices'].map(
  readPackage,
);

/** Bundles every function and the dashboard, which takes a few seconds. */
export function deployedPackages(): BundledPackage[] {
  return [...bundledPackages(), ...dataPackages].sort(byName);
}

function bundledPackages(): BundledPackage[] {
  const inFunctions = functionEntries().flatMap(bundledFiles).flatMap(packageDirectory);
  const directories = new Set([...inFunctions, ...pagePackageDirectories()]);
  return [...directories].map(readPackage).sort(byName);
}

function byName(one: BundledPackage, other: BundledPackage): number {
  return one.name < other.name ? -1 : 1;
}

function functionEntries(): string[] {
  return globSync('**/*.lambda.ts', { cwd: join(projectRoot, 'lambdas') });
}

/** Returns paths relative to the project root, without files that tree shaking removed completely. */
function bundledFiles(entry: string): string[] {
  const options = { ...bundleOptions(entry), outdir: 'unwritten', write: false, metafile: true } as const;
  return Object.values(buildSync(options).metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
}

function readPackage(directory: string): BundledPackage {
  const { name, version, license } = JSON.parse(
    readFileSync(join(projectRoot, directory, 'package.json'), 'utf8'),
  );
  return { name, version, licence: String(license) };
}
