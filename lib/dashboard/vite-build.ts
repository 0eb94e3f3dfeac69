/**
 * Builds a page: `node lib/dashboard/vite-build.ts SOURCES OUTPUT` writes `page/`, and `packages.json` with the packages in
 * the page, into the directory OUTPUT. Prints the error when the build fails.
 */

import { realpathSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { build, type Plugin, type Rolldown } from 'vite';
import { packageDirectory } from '../functions/package-directory.ts';
import { standardErrors } from '../terminal-output.mjs';
import { sharedModules } from './shared-modules.ts';

const projectRoot = join(import.meta.dirname, '../..');

const [, , sourcesArgument, outputDirectory] = process.argv;
if (sourcesArgument === undefined || outputDirectory === undefined) {
  throw new Error('usage: vite-build.ts SOURCES OUTPUT');
}
// Without symbolic links, as in Vite's module ids.
const sources = realpathSync(sourcesArgument);

// In tests, the inherited mode would select React's development build.
process.env.NODE_ENV = 'production';

const packageDirectories = new Set<string>();
try {
  await build({
    configFile: join(sources, 'vite.config.ts'),
    logLevel: 'silent',
    plugins: [listPackages(sources)],
    build: { outDir: join(outputDirectory, 'page'), emptyOutDir: true },
  });
  writeFileSync(join(outputDirectory, 'packages.json'), JSON.stringify([...packageDirectories].sort()));
} catch (error) {
  const message = stripVTControlCharacters(error instanceof Error ? error.message : String(error));
  standardErrors.write(`${message}\n`);
  process.exitCode = 1;
}

function listPackages(sources: string): Plugin {
  return {
    name: 'list-packages',
    transform: {
      // Before Tailwind replaces the imports by the styles, which are no modules.
      order: 'pre',
      handler(code, id) {
        if (id.endsWith('.css')) importedStyles(code).forEach(addPackageOf);
      },
    },
    generateBundle(_options, bundle) {
      for (const path of Object.values(bundle).flatMap((output) => sourcesOf(output, sources))) {
        if (!addPackageOf(path)) refuseOutside(sources, path);
      }
    },
  };
}

/** Returns the files, or just the packages, that style sheets of the page import from packages. */
function importedStyles(css: string): string[] {
  const specifiers = css.matchAll(/@import\s+(?:url\()?["']([^"'./][^"']*)["']/g);
  return [...specifiers].map(([, specifier = '']) => join(projectRoot, 'node_modules', specifier));
}

/** Returns absolute paths: the modules of a chunk that tree shaking left, or the original files of an asset. */
function sourcesOf(output: Rolldown.OutputChunk | Rolldown.OutputAsset, sources: string): string[] {
  if (output.type === 'asset') return output.originalFileNames.map((path) => resolve(sources, path));
  return Object.entries(output.modules).flatMap(([id, { renderedLength }]) =>
    renderedLength > 0 && isAbsolute(id) ? [id] : [],
  );
}

/** Returns false for a file that is in no package. */
function addPackageOf(path: string): boolean {
  const [directory] = packageDirectory(relative(projectRoot, path));
  if (directory !== undefined) packageDirectories.add(directory);
  return directory !== undefined;
}

/** A change of any other file outside the sources would not cause a new build. */
function refuseOutside(sources: string, path: string): void {
  if (!relative(sources, path).startsWith('..') || sharedModules.includes(path)) return;
  const file = relative(projectRoot, path);
  throw new Error(`The page imports ${file}, which is outside its folder: import only types from there`);
}
