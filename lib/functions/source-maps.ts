/**
 * Source maps of the functions' bundles. They are in the cloud assembly beside the bundles, and are not deployed. Each
 * version of a bundle has its own, under the hash with which its asset is deployed.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';

interface BundleVersion {
  /** The cloud assembly: `cdk.out`. */
  assemblyDirectory: string;
  assetHash: string;
}

/** Lines and columns count from 1, as in stack traces. */
export interface Position {
  file: string;
  line: number;
  column: number;
}

/** The folder from whose files the sources in a map are relative paths. */
export const bundleFolder = 'bundle';

function directoryOf({ assemblyDirectory, assetHash }: BundleVersion): string {
  return join(assemblyDirectory, 'source-maps', assetHash);
}

/** `sourceMaps` are by file name, such as `index.mjs.map`. */
export function writeSourceMaps(version: BundleVersion, sourceMaps: ReadonlyMap<string, string>): void {
  const directory = directoryOf(version);
  mkdirSync(directory, { recursive: true });
  for (const [name, map] of sourceMaps) writeFileSync(join(directory, name), map);
}

export function hasSourceMaps(version: BundleVersion): boolean {
  return existsSync(directoryOf(version));
}

/** The file is relative to the project. `null` for a position without source, or a file that the bundle does not have. */
export function findSource(version: BundleVersion, { file, line, column }: Position): Position | null {
  const path = join(directoryOf(version), `${file}.map`);
  if (!existsSync(path)) return null;
  // Counts from 0.
  const entry = new SourceMap(JSON.parse(readFileSync(path, 'utf8'))).findEntry(line - 1, column - 1);
  if (!('originalSource' in entry) || entry.originalSource === undefined) return null;
  return {
    file: join(bundleFolder, entry.originalSource),
    line: entry.originalLine + 1,
    column: entry.originalColumn + 1,
  };
}
