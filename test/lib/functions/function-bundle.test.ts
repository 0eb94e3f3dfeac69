import { globSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Architecture, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { functionBundle } from '#lib/functions/function-bundle.ts';

const outputDirectories: string[] = [];
afterAll(() => {
  for (const directory of outputDirectories) rmSync(directory, { recursive: true });
});

/** The directory of the asset, named by the hash of its content and far from any `node_modules`. */
function bundle(entry: string): { directory: string; name: string } {
  const outdir = mkdtempSync(join(tmpdir(), 'function-bundle-'));
  outputDirectories.push(outdir);
  const app = new App({ outdir, builtinCloudFormationValidation: false });
  new LambdaFunction(new Stack(app, 'Stack'), 'Function', {
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    handler: 'index.handler',
    code: functionBundle(entry),
  });
  app.synth();

  const [name, ...others] = readdirSync(outdir).filter((name) => name.startsWith('asset.'));
  if (name === undefined || others.length > 0) throw new Error('Expected one asset');
  return { directory: join(outdir, name), name };
}

/** What `index.mjs` exports; throws where an import leads out of the directory and is none of Node's own. */
function exportsOf(directory: string): string[] | undefined {
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
  return Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint === 'index.mjs')?.exports;
}

describe('the bundle of a function', { timeout: 30_000 }, () => {
  it.each(globSync('**/*.lambda.ts', { cwd: 'lambdas' }))(
    'holds all that %s needs, as ES modules',
    (entry) => {
      const { directory } = bundle(entry);

      expect(exportsOf(directory)).toEqual(['handler']);
      expect(readdirSync(directory).filter((name) => !name.endsWith('.mjs'))).toEqual([]);
    },
  );

  const rollup = 'costs/rollups/rollup.lambda.ts';

  it('has the same name for the same code', () => {
    expect(bundle(rollup).name).toBe(bundle(rollup).name);
  });
});
