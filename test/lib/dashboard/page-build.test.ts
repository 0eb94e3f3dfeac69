import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { builtPageDirectory, type PageLocation, pagePackageDirectories } from '#lib/dashboard/page-build.ts';

const directories: string[] = [];
let page: Required<PageLocation>;

/** A page whose only module has this code. */
function write(code: string): void {
  writeFileSync(join(page.sources, 'main.ts'), code);
}

beforeEach(() => {
  const directory = mkdtempSync(join(tmpdir(), 'page-build-'));
  directories.push(directory);
  page = { sources: join(directory, 'sources'), cache: join(directory, 'cache') };
  for (const path of [page.sources, page.cache]) mkdirSync(path);
  writeFileSync(join(page.sources, 'index.html'), '<script type="module" src="./main.ts"></script>');
  writeFileSync(
    join(page.sources, 'vite.config.ts'),
    'export default { root: import.meta.dirname, build: { modulePreload: { polyfill: false } } };',
  );
  write('console.log(1)');
});
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

const projectRoot = join(import.meta.dirname, '../../..');

describe('builtPageDirectory', () => {
  it('builds the page, and again only when its sources have changed', () => {
    const directory = builtPageDirectory(page);
    writeFileSync(join(directory, 'marker'), '');

    expect(readdirSync(directory).sort()).toEqual(['assets', 'index.html', 'marker']);
    expect(readFileSync(join(directory, 'index.html'), 'utf8')).toContain('src="/assets/');
    expect(readdirSync(builtPageDirectory(page))).toContain('marker');

    write('console.log(2)');

    expect(readdirSync(builtPageDirectory(page)).sort()).toEqual(['assets', 'index.html']);
    expect(readdirSync(directory)).toContain('marker');
  });

  it('returns one directory to processes that build at the same time', async () => {
    const code = `import { builtPageDirectory } from '#lib/dashboard/page-build.ts';
      console.log(builtPageDirectory(${JSON.stringify(page)}));`;
    const build = () =>
      promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], { cwd: projectRoot });

    const outputs = (await Promise.all([build(), build()])).map(({ stdout }) => stdout.trim());

    expect(outputs).toEqual([builtPageDirectory(page), builtPageDirectory(page)]);
    expect(readdirSync(join(page.cache, 'page'))).toHaveLength(1);
    expect(readdirSync(join(page.cache, 'unfinished'))).toEqual([]);
  });

  it("reports Vite's error and leaves nothing behind", () => {
    write("import './missing.ts';");

    expect(() => builtPageDirectory(page)).toThrow(/^The dashboard cannot be built: (.|\n)*missing\.ts/);
    expect(readdirSync(page.cache)).toEqual(['unfinished']);
    expect(readdirSync(join(page.cache, 'unfinished'))).toEqual([]);
  });

  it('refuses code from outside the sources, whose changes would go unnoticed', () => {
    write(
      `import { companySignInMessage } from '${projectRoot}/lambdas/accounts/identity.ts'; companySignInMessage(document);`,
    );

    expect(() => builtPageDirectory(page)).toThrow(
      'The page imports lambdas/accounts/identity.ts, which is outside its folder: import only types from there',
    );
  });
});

describe('pagePackageDirectories', () => {
  it('lists the packages of the code that remains, of styles and of fonts', () => {
    const packages = relative(page.sources, join(projectRoot, 'node_modules'));
    writeFileSync(
      join(page.sources, 'styles.css'),
      `@import 'tailwindcss'; @font-face { src: url(${packages}/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2) }`,
    );
    writeFileSync(
      join(page.sources, 'vite.config.ts'),
      'export default { root: import.meta.dirname, resolve: { alias: { tailwindcss: import.meta.dirname + "/empty.css" } } };',
    );
    writeFileSync(join(page.sources, 'empty.css'), '');
    write(`
      import './styles.css';
      import { renderSVG } from '${packages}/uqr/dist/index.mjs';
      import { createStore } from '${packages}/@tanstack/store/dist/index.js';
      document.title = renderSVG('text');
    `);

    expect(pagePackageDirectories(page)).toEqual([
      'node_modules/@fontsource-variable/inter',
      'node_modules/tailwindcss',
      'node_modules/uqr',
    ]);
  });
});
