import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { builtPageDirectory } from '#lib/dashboard/page-build.ts';

const directory = builtPageDirectory();
const page = readFileSync(join(directory, 'index.html'), 'utf8');
const assets = readdirSync(join(directory, 'assets'));
const maxFirstViewBytes = 280_000;

/** The level at which CloudFront compresses is not documented; this one is a low estimate. */
function deliveredBytes(path: string): number {
  const content = readFileSync(join(directory, path));
  if (path.endsWith('.woff2')) return content.length;
  return brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }).length;
}

function staticImports(script: string): string[] {
  const source = readFileSync(join(directory, script), 'utf8');
  return [...source.matchAll(/(?:\bfrom|\bimport)\s*["`]\.\/([^"`]+)["`]/g)].map(
    ([, name]) => `assets/${name}`,
  );
}

function withImports(scripts: string[]): Set<string> {
  const found = new Set(scripts);
  // Iteration includes the elements that are added meanwhile.
  for (const script of found) for (const imported of staticImports(script)) found.add(imported);
  return found;
}

describe('The built page', () => {
  it('links its files by absolute paths and has nothing inline, as its content security policy demands', () => {
    const urls = [...page.matchAll(/\b(?:src|href)="([^"]+)"/g)].map(([, url]) => url);
    expect(urls.length).toBeGreaterThanOrEqual(5);
    expect(urls.filter((url) => !url?.startsWith('/assets/'))).toEqual([]);
    expect(page).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
  });

  it('has no data URLs', () => {
    const styles = assets.filter((name) => name.endsWith('.css'));
    expect(styles).toHaveLength(1);
    expect(readFileSync(join(directory, 'assets', String(styles[0])), 'utf8')).not.toMatch(/url\(["']?data:/);
  });

  it(`needs at most ${maxFirstViewBytes / 1000} kB for any first view`, () => {
    const linked = [...page.matchAll(/\b(?:src|href)="\/([^"]+\.(?:js|css|woff2))"/g)].map(([, url]) =>
      String(url),
    );
    const others = linked.filter((path) => !path.endsWith('.js'));
    expect(others.some((path) => path.includes('inter-latin-wght-normal'))).toBe(true);
    const views = assets.filter((name) => /-view-[^/]+\.js$/.test(name));
    expect(views.length).toBeGreaterThanOrEqual(12);

    const bytesOfView = views.map((view) => {
      const scripts = withImports([...linked.filter((path) => path.endsWith('.js')), `assets/${view}`]);
      expect(scripts.size).toBeGreaterThan(5);
      const paths = ['index.html', ...scripts, ...others];
      return [view, paths.reduce((sum, path) => sum + deliveredBytes(path), 0)] as const;
    });

    expect(bytesOfView.filter(([, bytes]) => bytes > maxFirstViewBytes)).toEqual([]);
  });
});
