/** Builds the page of the dashboard with Vite, unless its sources are unchanged since an earlier build. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { sharedModules } from './shared-modules.ts';

const projectRoot = join(import.meta.dirname, '../..');
const buildScript = join(import.meta.dirname, 'vite-build.ts');

/** Tests build a page of their own. */
export interface PageLocation {
  /** Contains `vite.config.ts` and everything that the page imports, except for packages. */
  sources: string;
  /** Contains a directory for each build. */
  cache: string;
}

const dashboard: PageLocation = {
  sources: join(projectRoot, 'dashboard'),
  cache: join(projectRoot, 'node_modules/.cache/dashboard'),
};

/**
 * Returns the directory with `index.html` and `assets/`. Throws with Vite's message when the page cannot be built.
 *
 * Takes a few milliseconds when nothing has changed. Processes may build at the same time: the first one to finish
 * provides the directory.
 */
export function builtPageDirectory(location = dashboard): string {
  return join(buildDirectory(location), 'page');
}

/** Returns the directories of the packages whose code, styles or fonts are in the page, relative to the project. */
export function pagePackageDirectories(location = dashboard): string[] {
  return JSON.parse(readFileSync(join(buildDirectory(location), 'packages.json'), 'utf8'));
}

function buildDirectory({ sources, cache }: PageLocation): string {
  const directory = join(cache, hashSources(sources));
  if (!existsSync(directory)) build(sources, directory);
  return directory;
}

function hashSources(sources: string): string {
  const pageFiles = readdirSync(sources, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
  const hash = createHash('sha256');
  for (const file of [...pageFiles, ...sharedModules, buildScript, join(projectRoot, 'package-lock.json')]) {
    const content = readFileSync(file);
    hash.update(`${relative(sources, file)} ${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 32);
}

function build(sources: string, directory: string): void {
  mkdirSync(join(directory, '..'), { recursive: true });
  const unfinished = mkdtempSync(`${directory}.`);
  try {
    runVite(sources, unfinished);
    renameSync(unfinished, directory);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process has finished the same build first.
    if (!existsSync(directory)) throw error;
  }
}

/** In a process of its own, since Vite is asynchronous and CDK's bundling is not. */
function runVite(sources: string, outputDirectory: string): void {
  try {
    execFileSync(process.execPath, [buildScript, sources, outputDirectory], {
      cwd: projectRoot,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    if (!(error instanceof Error) || !('stderr' in error)) throw error;
    throw new Error(`The dashboard cannot be built: ${String(error.stderr).trim()}`);
  }
}
