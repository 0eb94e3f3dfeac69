/** Builds the page of the dashboard with Vite, unless its sources are unchanged since an earlier build. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Build, cachedBuild, contentKey, findBuild, projectRoot } from '../build-cache.ts';
import { standardErrors } from '../terminal-output.mjs';
import { sharedModules } from './shared-modules.ts';

const buildScript = join(import.meta.dirname, 'vite-build.ts');

/** Tests build a page of their own. */
export interface PageLocation {
  /** Contains `vite.config.ts` and everything that the page imports, except for packages. */
  sources: string;
  /** Default: the build cache of the user. */
  cache?: string;
}

const dashboard: PageLocation = { sources: join(projectRoot, 'dashboard') };

/**
 * Returns the directory with `index.html` and `assets/`. Throws with Vite's message when the page cannot be built.
 *
 * Takes a few milliseconds when nothing has changed.
 */
export function builtPageDirectory(location = dashboard): string {
  return join(buildDirectory(location), 'page');
}

/** Returns the directories of the packages whose code, styles or fonts are in the page, relative to the project. */
export function pagePackageDirectories(location = dashboard): string[] {
  return JSON.parse(readFileSync(join(buildDirectory(location), 'packages.json'), 'utf8'));
}

function buildDirectory(location: PageLocation): string {
  const write = (directory: string) => {
    standardErrors.write('Building the dashboard\n');
    runVite(location.sources, directory);
  };
  return cachedBuild(buildOf(location), write, location.cache);
}

function buildOf({ sources }: PageLocation): Build {
  return { kind: 'page', key: contentKey({ sources: pageSources(sources) }), part: 'build' };
}

export function isPageBuilt(): boolean {
  return findBuild(buildOf(dashboard)) !== undefined;
}

/** All files from which the page is made, except for packages. Relative to the project. */
function pageSources(sources: string): string[] {
  return [
    ...[sources, ...sharedModules, buildScript].map((path) => relative(projectRoot, path)),
    'lib/dashboard/shared-modules.ts',
    'lib/functions/package-directory.ts',
  ];
}

/** In a process of its own, since Vite is asynchronous and CDK's bundling is not. */
function runVite(sources: string, outputDirectory: string): void {
  try {
    execFileSync(process.execPath, [buildScript, sources, outputDirectory], {
      cwd: projectRoot,
      // Vite reads variables such as NODE_ENV and those with its prefix.
      env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    if (!(error instanceof Error) || !('stderr' in error)) throw error;
    throw new Error(`The dashboard cannot be built: ${String(error.stderr).trim()}`);
  }
}
