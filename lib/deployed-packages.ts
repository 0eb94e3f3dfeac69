/** The packages whose code is deployed: in the bundles of functions and in the page. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './build-cache.ts';
import { pagePackageDirectories } from './dashboard/page-build.ts';
import { bundledFiles, functionEntries } from './functions/bundle.ts';
import { packageDirectory } from './functions/package-directory.ts';

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

/** Bundles every function and the dashboard, which takes a few seconds unless they are in the build cache. */
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

function readPackage(directory: string): BundledPackage {
  const { name, version, license } = JSON.parse(
    readFileSync(join(projectRoot, directory, 'package.json'), 'utf8'),
  );
  return { name, version, licence: String(license) };
}
