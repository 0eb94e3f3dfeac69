/** A function's code: its entry point below `lambdas/`, bundled by esbuild with everything it imports. */

import { dirname, join } from 'node:path';
import { AssetHashType, type ILocalBundling } from 'aws-cdk-lib';
import { Code, Runtime } from 'aws-cdk-lib/aws-lambda';
import { type BuildOptions, buildSync } from 'esbuild';

const projectRoot = join(import.meta.dirname, '../..');

/** CommonJS packages inside an ES module still call `require` for Node's own modules. */
const requireBanner =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/** `index.mjs` and, for each lazy `import()`, a chunk that a cold start does not read. */
export function functionBundle(entry: string): Code {
  return Code.fromAsset(join(projectRoot, 'lambdas', dirname(entry)), {
    // The hash of the output: a function imports files outside its folder, and a changed comment needs no deployment.
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
    // ES modules where a package has both: unlike CommonJS they shake and split, and chat reads half as much.
    mainFields: ['module', 'main'],
    // What they replace loads more than is needed: the files say what.
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
