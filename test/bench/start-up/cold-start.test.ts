import type { Metafile } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { coldStartOf } from '#bench/start-up/cold-start.ts';

type Output = Metafile['outputs'][string];

const output = (inputs: Record<string, number>, imports: Output['imports'] = []): Output => ({
  bytes: 0,
  exports: [],
  imports,
  inputs: Object.fromEntries(
    Object.entries(inputs).map(([file, bytesInOutput]) => [file, { bytesInOutput }]),
  ),
});

const outputs = {
  'out/index.mjs': output({ 'lambdas/inference/chat/chat.lambda.ts': 10, 'node_modules/@a/b/dist/x.js': 5 }, [
    { path: 'out/chunk.mjs', kind: 'import-statement' },
    { path: 'out/lazy.mjs', kind: 'dynamic-import' },
    { path: 'node:zlib', kind: 'import-statement', external: true },
    { path: 'node:http', kind: 'import-statement', external: true },
  ]),
  'out/chunk.mjs': output(
    { 'lambdas/shared/x.ts': 20, 'node_modules/a/node_modules/b/y.js': 7, 'node_modules/gone/z.js': 0 },
    [
      { path: 'out/index.mjs', kind: 'import-statement' },
      { path: 'node:http', kind: 'import-statement', external: true },
      { path: 'node:http2', kind: 'dynamic-import', external: true },
    ],
  ),
  'out/lazy.mjs': output({ 'lambdas/shared/lazy.ts': 40 }),
};

describe('what a cold start reads', () => {
  it('is what is imported at once, from file to file', () => {
    expect(coldStartOf({ outputs }).files).toEqual(['out/index.mjs', 'out/chunk.mjs']);
  });

  it('has the modules of Node that are imported at once', () => {
    expect(coldStartOf({ outputs }).nodeModules).toEqual(['node:http', 'node:zlib']);
  });

  it('is counted by package, and by the innermost of them', () => {
    expect(coldStartOf({ outputs }).bytesByPackage).toEqual([
      ['own', 30],
      ['b', 7],
      ['@a/b', 5],
    ]);
  });

  it('has an index to start from', () => {
    expect(() => coldStartOf({ outputs: {} })).toThrow('The bundle has no index');
  });
});
