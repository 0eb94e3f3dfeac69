import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { projectRoot } from '#lib/build-cache.ts';
import { cacheDirectory } from '#lib/cache-directory.mjs';

const temporary = mkdtempSync(join(tmpdir(), 'cache-directory-'));
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(temporary, 'test-'));
});
afterAll(() => rmSync(temporary, { recursive: true }));

describe('cacheDirectory', () => {
  it('is created for its user alone', () => {
    const cache = cacheDirectory(join(directory, 'home/.cache/ai-gateway'));

    expect(statSync(cache).mode & 0o777).toBe(0o700);
    expect(cacheDirectory(cache)).toBe(cache);
  });

  it('is outside the project, whose packages may be read-only', () => {
    expect(cacheDirectory().startsWith(projectRoot)).toBe(false);
  });

  it.each([
    ['is accessible to others', () => chmodSync(join(directory, 'cache'), 0o750)],
    [
      'is a symbolic link',
      () => {
        rmSync(join(directory, 'cache'), { recursive: true });
        mkdirSync(join(directory, 'target'), { mode: 0o700 });
        symlinkSync(join(directory, 'target'), join(directory, 'cache'));
      },
    ],
  ])('is not used when it %s', (_, change) => {
    const cache = cacheDirectory(join(directory, 'cache'));
    change();

    expect(() => cacheDirectory(cache)).toThrow(
      `${cache} must be a directory of this user, with mode 700: remove it, or set XDG_CACHE_HOME to another directory`,
    );
  });

  it('is not used when it belongs to another user', () => {
    const cache = cacheDirectory(join(directory, 'cache'));
    const { uid } = statSync(cache);

    expect(() => cacheDirectory(cache, uid + 1)).toThrow(`${cache} must be a directory of this user`);
  });
});
