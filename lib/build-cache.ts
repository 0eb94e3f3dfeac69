/** Keeps builds by the content from which they are made: the bundles of functions, the page, cloud assemblies. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { cacheDirectory, markAsUsed, removeOldDirectories } from './cache-directory.mjs';

export const projectRoot = join(import.meta.dirname, '..');

/** Read by esbuild, Vite and Node on every build; the lock file stands for the packages. */
const sourcesOfAllBuilds = ['package.json', 'package-lock.json', 'tsconfig.json'];

interface BuildInputs {
  /** Files and folders, relative to the project. Missing ones are skipped. */
  sources: readonly string[];
  /** Everything else on which the build depends. */
  values?: readonly string[];
  /** Default: the project. */
  directory?: string;
  /** Default: that of this process. */
  nodeVersion?: string;
}

/** Returns a hash of the contents and relative paths of the sources, of the values and of Node's version. */
export function contentKey(inputs: BuildInputs): string {
  const { sources, values = [], directory = projectRoot, nodeVersion = process.version } = inputs;
  const hash = createHash('sha256');
  for (const value of [nodeVersion, ...values]) hash.update(`${value.length} ${value}\n`);
  for (const file of [...sourcesOfAllBuilds, ...sources].flatMap((source) => filesIn(directory, source))) {
    const content = readFileSync(file);
    hash.update(`${relative(directory, file)} ${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 32);
}

function filesIn(directory: string, source: string): string[] {
  const path = join(directory, source);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (stat.isFile()) return [path];
  return globSync('**', { cwd: path, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}

export interface Build {
  kind: 'assembly' | 'bundles' | 'page';
  /** The `contentKey` of its inputs. */
  key: string;
  /** Name of one result of these inputs, such as the bundle of one function. */
  part: string;
}

/** Returns the directory of a build; `undefined` when it is not in the cache. */
export function findBuild({ kind, key, part }: Build, cache = cacheDirectory()): string | undefined {
  const directory = join(cache, kind, key, part);
  if (!existsSync(directory)) return undefined;
  markAsUsed(dirname(directory));
  return directory;
}

/** Returns a new directory for `addBuild`, or to be removed when the build fails. */
export function createStagingDirectory(cache = cacheDirectory()): string {
  const unfinished = join(cache, 'unfinished');
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  // Killed processes leave some behind.
  removeOldDirectories(unfinished);
  return mkdtempSync(join(unfinished, 'build-'));
}

/** Moves the staging directory into the cache. Processes may build at the same time: the first one to finish wins. */
export function addBuild(build: Build, stagingDirectory: string, cache = cacheDirectory()): string {
  const { kind, key, part } = build;
  const directory = join(cache, kind, key, part);
  mkdirSync(dirname(directory), { recursive: true, mode: 0o700 });
  try {
    renameSync(stagingDirectory, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
    rmSync(stagingDirectory, { recursive: true });
  }
  removeOldDirectories(join(cache, kind));
  return directory;
}

/** Returns the directory of a build. If it is not in the cache, `write` gets an empty directory to build in. */
export function cachedBuild(
  build: Build,
  write: (directory: string) => void,
  cache = cacheDirectory(),
): string {
  const existing = findBuild(build, cache);
  if (existing !== undefined) return existing;
  const stagingDirectory = createStagingDirectory(cache);
  try {
    write(stagingDirectory);
    return addBuild(build, stagingDirectory, cache);
  } catch (error) {
    rmSync(stagingDirectory, { recursive: true, force: true });
    throw error;
  }
}
