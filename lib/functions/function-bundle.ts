import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AssetHashType, FileSystem, type ILocalBundling } from 'aws-cdk-lib';
import { Code, Runtime } from 'aws-cdk-lib/aws-lambda';
import { projectRoot } from '../build-cache.ts';
import { cachedBundle } from './bundle.ts';
import { writeSourceMaps } from './source-maps.ts';

/** Returns the code of a function as an asset, and writes its source maps beside it. */
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

/** By file name. */
function readFiles(directory: string): ReadonlyMap<string, string> {
  return new Map(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]));
}
