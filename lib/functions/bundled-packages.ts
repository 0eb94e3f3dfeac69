/** The packages that the functions' bundles hold: what of all that is installed is deployed. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { bundleOptions } from './function-bundle.ts';

export interface BundledPackage {
  name: string;
  version: string;
  /** As the package says it: an SPDX expression. */
  licence: string;
}

const projectRoot = join(import.meta.dirname, '../..');

/** Their data is in a generated file of ours, so that no bundler can tell: `bin/prices.ts` writes it. */
export const packagesOfData: readonly BundledPackage[] = ['node_modules/@pydantic/genai-prices'].map(
  readPackage,
);

/** Those whose code or data is deployed, by name. Takes a second or two, since it bundles every function. */
export function shippedPackages(): BundledPackage[] {
  return [...bundledPackages(), ...packagesOfData].sort(byName);
}

/** Those whose code is, and runs. */
export function bundledPackages(): BundledPackage[] {
  const directories = new Set(functionEntries().flatMap(bundledFiles).flatMap(packageDirectoryOf));
  return [...directories].map(readPackage).sort(byName);
}

function byName(one: BundledPackage, other: BundledPackage): number {
  return one.name < other.name ? -1 : 1;
}

function functionEntries(): string[] {
  return globSync('**/*.lambda.ts', { cwd: join(projectRoot, 'lambdas') });
}

/** From the project's root; without files of which nothing is left. */
function bundledFiles(entry: string): string[] {
  const options = { ...bundleOptions(entry), outdir: 'unwritten', write: false, metafile: true } as const;
  return Object.values(buildSync(options).metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
}

/** The innermost, where a package has packages of its own; none for a file of the project. */
function packageDirectoryOf(file: string): string[] {
  return file.match(/^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/) ?? [];
}

function readPackage(directory: string): BundledPackage {
  const { name, version, license } = JSON.parse(
    readFileSync(join(projectRoot, directory, 'package.json'), 'utf8'),
  );
  return { name, version, licence: String(license) };
}
