/**
 * Keeps builds by the content from which they are made: the bundles of functions, the page, cloud assemblies.
 *
 * The cache is in a folder of the user, because `node_modules` may be read-only or belong to somebody else. Its contents get
 * deployed, so only the user may write to it. All clones of the project share it.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';

export const projectRoot = join(import.meta.dirname, '..');

/** Read by esbuild, Vite and Node on every build; the lock file stands for the packages. */
const sourcesOfAllBuilds = ['package.json', 'package-lock.json', 'tsconfig.json'];

export interface BuildInputs {
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

function markAsUsed(directory: string): void {
  const now = new Date();
  utimesSync(directory, now, now);
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

const maxDirectories = 20;

/** Keeps those that were used last. */
function removeOldDirectories(directory: string): void {
  const byAge = readdirSync(directory)
    .map((name) => join(directory, name))
    // Another process may remove it at the same time.
    .map((path) => ({ path, usedMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.usedMs - one.usedMs);
  for (const { path } of byAge.slice(maxDirectories)) rmSync(path, { recursive: true, force: true });
}

/** Returns the directory in which Node keeps the compiled code of this clone of the project. */
export function compileCacheDirectory(cache = cacheDirectory()): string {
  const compiled = join(cache, 'compiled');
  const directory = join(compiled, createHash('sha256').update(projectRoot).digest('hex').slice(0, 16));
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  markAsUsed(directory);
  removeOldDirectories(compiled);
  return directory;
}

/**
 * Returns an environment variable with which a child process uses the compile cache of this one, if there is one. It saves
 * a tenth of the processor time that a function needs to start, and keeps programs in TypeScript from loading Node's type
 * stripper.
 */
export function compileCacheVariable(): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir();
  // The directory of this version of Node is inside the one to which the variable is set.
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
}

export class BuildCacheError extends Error {
  override readonly name = 'BuildCacheError';
}

/** Throws a `BuildCacheError` when others can access the directory. */
export function cacheDirectory(
  directory = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'ai-gateway'),
  userId = process.getuid?.(),
): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const stat = lstatSync(directory);
  const isPrivate = userId === undefined || (stat.uid === userId && (stat.mode & 0o777) === 0o700);
  if (isPrivate && stat.isDirectory()) return directory;
  throw new BuildCacheError(
    `The build cache ${directory} must be a directory of this user, with mode 700: remove it, or set XDG_CACHE_HOME to another directory`,
  );
}
