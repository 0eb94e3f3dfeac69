import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Architecture, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { buildSync, type Metafile } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { functionBundle } from '../../lib/function-bundle.ts';

const outputDirectories: string[] = [];
afterAll(() => {
  for (const directory of outputDirectories) rmSync(directory, { recursive: true });
});

/** The directory of the asset, named by the hash of its content and far from any `node_modules`. */
function bundle(folder: string): { directory: string; name: string } {
  const outdir = mkdtempSync(join(tmpdir(), 'function-bundle-'));
  outputDirectories.push(outdir);
  const app = new App({ outdir, builtinCloudFormationValidation: false });
  new LambdaFunction(new Stack(app, 'Stack'), 'Function', {
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    handler: 'index.handler',
    code: functionBundle(folder),
  });
  app.synth();

  const [name, ...others] = readdirSync(outdir).filter((entry) => entry.startsWith('asset.'));
  if (name === undefined || others.length > 0) throw new Error('Expected one asset');
  return { directory: join(outdir, name), name };
}

/** Follows the imports of `index.mjs`; throws where one leads out of the directory and is none of Node's own. */
function followImports(directory: string) {
  const { metafile } = buildSync({
    absWorkingDir: directory,
    entryPoints: ['index.mjs'],
    bundle: true,
    format: 'esm',
    platform: 'node',
    outdir: 'unwritten',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const [output] = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint === 'index.mjs');
  return { exports: output?.exports, coldStartBytes: staticBytes(metafile.inputs) };
}

/** What Node reads before the handler can run: the lazy `import()`s left out. */
function staticBytes(inputs: Metafile['inputs']): number {
  const reached = new Set<string>();
  const visit = (file: string) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const { path, kind } of inputs[file]?.imports ?? []) {
      if (kind === 'import-statement') visit(path);
    }
  };
  visit('index.mjs');
  return [...reached].reduce((sum, file) => sum + (inputs[file]?.bytes ?? 0), 0);
}

describe('the bundle of a function', () => {
  it.each(['chat', 'models', 'logs', 'log', 'costs', 'rollup'])(
    'holds all that %s needs, as ES modules',
    (folder) => {
      const { directory } = bundle(folder);

      expect(followImports(directory).exports).toEqual(['handler']);
      expect(readdirSync(directory).filter((name) => !name.endsWith('.mjs'))).toEqual([]);
    },
  );

  it('starts chat without what it may not need: the price table and most ways to find credentials', () => {
    const { coldStartBytes } = followImports(bundle('chat').directory);

    expect(coldStartBytes).toBeLessThan(350_000);
  });

  it('has the same name for the same code', () => {
    expect(bundle('rollup').name).toBe(bundle('rollup').name);
  });
});
