/** The code of a function: its folder under `lambdas/`, bundled by esbuild with everything that it imports. */

import { join } from 'node:path';
import { AssetHashType, type ILocalBundling } from 'aws-cdk-lib';
import { Code, Runtime } from 'aws-cdk-lib/aws-lambda';
import { type BuildOptions, buildSync } from 'esbuild';

const projectRoot = join(import.meta.dirname, '..');

/** CommonJS packages inside an ES module still call `require` for Node's own modules. */
const requireBanner =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/** `index.mjs` and, for each lazy `import()`, a chunk that a cold start does not read. */
export function functionBundle(folder: string): Code {
  return Code.fromAsset(join(projectRoot, 'lambdas', folder), {
    // Of the output: what a function imports lies outside its folder, and a comment is no reason to deploy.
    assetHashType: AssetHashType.OUTPUT,
    bundling: { image: Runtime.NODEJS_24_X.bundlingImage, local: bundleWithEsbuild(folder) },
  });
}

function bundleWithEsbuild(folder: string): ILocalBundling {
  return {
    tryBundle(outputDirectory) {
      buildSync({ ...bundleOptions(folder), outdir: outputDirectory });
      return true;
    },
  };
}

export function bundleOptions(folder: string) {
  return {
    // Relative paths, so that the output (and with it the asset's hash) is the same on every machine.
    absWorkingDir: projectRoot,
    entryPoints: { index: join('lambdas', folder, 'index.ts') },
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // ES modules where a package has both: unlike CommonJS they shake and split, and chat reads half as much.
    mainFields: ['module', 'main'],
    // What they replace loads more than is needed: the files say what.
    alias: {
      'node:http': './lib/node-http.mjs',
      '@aws-sdk/credential-provider-node': './lib/sdk-credentials.mjs',
    },
    minify: true,
    legalComments: 'none',
    banner: { js: requireBanner },
    logLevel: 'warning',
  } as const satisfies BuildOptions;
}
