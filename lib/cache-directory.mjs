// @ts-check
/**
 * The folder of the build cache, and in it Node's compile cache.
 *
 * It is outside the project, because `node_modules` may be read-only or belong to somebody else. Its contents get deployed,
 * so only the user may write to it. All clones of the project share it.
 *
 * JavaScript, because `npm start` finds the compile cache with it: whatever loads earlier is not in that cache, and for
 * TypeScript Node would load its type stripper, which takes 20 MB of memory.
 */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

export class BuildCacheError extends Error {
  /** @override */
  name = 'BuildCacheError';
}

/** Throws a `BuildCacheError` when others can access the directory. */
export function cacheDirectory(
  directory = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'ai-gateway'),
  userId = process.getuid?.(),
) {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const stat = lstatSync(directory);
  const isPrivate = userId === undefined || (stat.uid === userId && (stat.mode & 0o777) === 0o700);
  if (isPrivate && stat.isDirectory()) return directory;
  throw new BuildCacheError(
    `The build cache ${directory} must be a directory of this user, with mode 700: remove it, or set XDG_CACHE_HOME to another directory`,
  );
}

/** @param {string} directory */
export function markAsUsed(directory) {
  const now = new Date();
  utimesSync(directory, now, now);
}

const maxDirectories = 20;

/**
 * Keeps those that were used last.
 * @param {string} directory
 */
export function removeOldDirectories(directory) {
  const byAge = readdirSync(directory)
    .map((name) => join(directory, name))
    // Another process may remove it at the same time.
    .map((path) => ({ path, usedMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.usedMs - one.usedMs);
  for (const { path } of byAge.slice(maxDirectories)) rmSync(path, { recursive: true, force: true });
}

/** Returns the directory in which Node keeps the compiled code of this clone of the project. */
export function compileCacheDirectory(cache = cacheDirectory()) {
  const compiled = join(cache, 'compiled');
  const directory = join(
    compiled,
    createHash('sha256')
      .update(import.meta.dirname)
      .digest('hex')
      .slice(0, 16),
  );
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  markAsUsed(directory);
  removeOldDirectories(compiled);
  return directory;
}

/**
 * Returns an environment variable with which a child process uses the compile cache of this one, if there is one. It saves
 * a tenth of the processor time that a function needs to start, and keeps programs in TypeScript from loading Node's type
 * stripper.
 * @returns {NodeJS.ProcessEnv}
 */
export function compileCacheVariable() {
  const directory = getCompileCacheDir();
  // The directory of this version of Node is inside the one to which the variable is set.
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
}
