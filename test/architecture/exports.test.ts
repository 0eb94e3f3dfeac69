/** Checks that every exported name has a reader in another file: what a file exports is what others depend on. */
import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  parseModule,
  projectRoot,
  type SourceModule,
  sourceFilesIn,
  sourceModule,
} from '#test/support/source/modules.ts';

/** Exports whose readers are outside the project's code. */
const entryPoints: { file: RegExp; name: RegExp }[] = [
  { file: /\.lambda\.ts$/, name: /^handler$/ },
  { file: /\.config\.ts$/, name: /^default$/ },
  // Replace modules of packages in the functions' bundles.
  { file: /^lib\/functions\/[^/]+\.mjs$/, name: /./ },
  // Vitest calls it before the tests.
  { file: /^test\/support\/vitest\//, name: /^setup$/ },
];

/** Returns the exports that no other file imports, as `file: name`. */
function unusedExports(declaring: SourceModule[], importing: SourceModule[]): string[] {
  const used = new Set<string>();
  for (const { code, imports } of importing) {
    for (const { from, names } of imports) {
      // A file that imports a whole module uses the exports whose names it contains.
      for (const name of names ?? code.match(/[\w$]+/g) ?? []) used.add(`${from}: ${name}`);
    }
  }
  return declaring.flatMap(({ file, exports }) =>
    exports
      .filter((name) => !entryPoints.some((rule) => rule.file.test(file) && rule.name.test(name)))
      .map((name) => `${file}: ${name}`)
      .filter((exported) => !used.has(exported)),
  );
}

describe('unusedExports', () => {
  it('reports each kind of export without an import', () => {
    const code = `export const { a, b: [c] } = x; export function f() {} export type T = 1; export default 1;
      const local = 1; export { local as renamed }; export { far } from './far.ts';`;
    expect(unusedExports([parseModule('lib/a.ts', code)], [])).toEqual(
      ['a', 'c', 'f', 'T', 'default', 'renamed', 'far'].map((name) => `lib/a.ts: ${name}`),
    );
  });

  it.each([
    ['a name', "import { one } from './a.ts';"],
    ['a type', "import type { one } from '../lib/a.ts';"],
    ['another name for it', "import { one as other } from '#lib/a.ts';"],
    ['a member of a namespace', "import * as a from './a.ts'; a.one();"],
    ['a member of a module that loads on demand', "const { one } = await import('./a.ts');"],
    ['a type by its module', "type Other = import('./a.ts').one;"],
    ['a type in a comment of JavaScript', "/** @import { one } from './a.ts' */"],
    ['a re-export', "export { one } from './a.ts';"],
  ])('counts the import of %s', (_, code) => {
    const declaring = [parseModule('lib/a.ts', 'export const one = 1, two = 2;')];
    expect(unusedExports(declaring, [parseModule('lib/b.ts', code)])).toEqual(['lib/a.ts: two']);
  });

  it('does not report the entry points of functions and of tools', () => {
    const declaring = [
      parseModule('lambdas/a.lambda.ts', 'export const handler = 1;'),
      parseModule('dashboard/vite.config.ts', 'export default {};'),
    ];
    expect(unusedExports(declaring, [])).toEqual([]);
  });
});

describe('Exports', () => {
  it('are imported by another file or a test', () => {
    const product = ['bench', 'bin', 'cli', 'dashboard', 'lambdas', 'lib', 'local'];
    const declaring = sourceFilesIn(...product, 'test/support');
    const importing = [...sourceFilesIn(...product, 'test'), ...globSync('*.ts', { cwd: projectRoot })];
    const unused = unusedExports(declaring.map(sourceModule), importing.map(sourceModule));

    expect(declaring.length).toBeGreaterThan(1000);
    expect(unused).toEqual([]);
  });
});
