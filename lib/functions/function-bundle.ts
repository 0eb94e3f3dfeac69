/** A function's code: its entry point below `lambdas/`, bundled by esbuild with everything it imports. */

import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AssetHashType, type ILocalBundling } from 'aws-cdk-lib';
import { Code, Runtime } from 'aws-cdk-lib/aws-lambda';
import { type BuildOptions, buildSync } from 'esbuild';

const projectRoot = join(import.meta.dirname, '../..');

/** CommonJS packages inside an ES module still call `require` for Node's own modules. */
const requireBanner =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/** `index.mjs` and, for each `import()`, a chunk that a cold start does not load. */
export function functionBundle(entry: string): Code {
  return Code.fromAsset(join(projectRoot, 'lambdas', dirname(entry)), {
    // Hash the output: a function imports files outside its folder, and a changed comment needs no deployment.
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: Runtime.NODEJS_24_X.bundlingImage,
      local: bundleWithEsbuild(entry),
      // CDK bundles a folder once for all assets with equal options, but a folder may have several entry points.
      environment: { ENTRY_POINT: entry },
    },
  });
}

function bundleWithEsbuild(entry: string): ILocalBundling {
  return {
    tryBundle(outputDirectory) {
      buildSync({ ...bundleOptions(entry), outdir: outputDirectory });
      return true;
    },
  };
}

export function bundleOptions(entry: string) {
  return {
    // Relative paths, so that the output (and with it the asset's hash) is the same on every machine.
    absWorkingDir: projectRoot,
    entryPoints: { index: join('lambdas', entry) },
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // ES modules where a package has both: they can be shaken and split, which halves the code of chat.
    mainFields: ['module', 'main'],
    // The originals load more than the functions need: see these files.
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

/** Packages whose data `bin/prices.ts` writes into a file of the project, where no bundler finds their names. */
export const dataPackages: readonly BundledPackage[] = ['node_modules/@pydantic/genai-prices'].map(
  readPackage,
);

/** Packages whose code or data is deployed, by name. Bundles every function, which takes a second or two. */
export function deployedPackages(): BundledPackage[] {
  return [...bundledPackages(), ...dataPackages].sort(byName);
}

/** Packages whose code is deployed. */
function bundledPackages(): BundledPackage[] {
  const directories = new Set(functionEntries().flatMap(bundledFiles).flatMap(packageDirectory));
  return [...directories].map(readPackage).sort(byName);
}

function byName(one: BundledPackage, other: BundledPackage): number {
  return one.name < other.name ? -1 : 1;
}

function functionEntries(): string[] {
  return globSync('**/*.lambda.ts', { cwd: join(projectRoot, 'lambdas') });
}

/** Paths from the project's root, without files that tree shaking has removed. */
function bundledFiles(entry: string): string[] {
  const options = { ...bundleOptions(entry), outdir: 'unwritten', write: false, metafile: true } as const;
  return Object.values(buildSync(options).metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
}

/** The innermost, where a package has nested packages; none for a file of the project. */
function packageDirectory(file: string): string[] {
  return file.match(/^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/) ?? [];
}

function readPackage(directory: string): BundledPackage {
  const { name, version, license } = JSON.parse(
    readFileSync(join(projectRoot, directory, 'package.json'), 'utf8'),
  );
  return { name, version, licence: String(license) };
}
