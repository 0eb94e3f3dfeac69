import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Architecture, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { functionBundle } from '#lib/functions/function-bundle.ts';
import { byTestForm } from '#test/support/test-form.ts';

const outputDirectories: string[] = [];
afterAll(() => {
  for (const directory of outputDirectories) rmSync(directory, { recursive: true });
});

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'function-bundle-'));
  outputDirectories.push(directory);
  return directory;
}

function lambdaFunction(stack: Stack, id: string, entry: string): LambdaFunction {
  return new LambdaFunction(stack, id, {
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    handler: 'index.handler',
    code: functionBundle(entry),
  });
}

/** Bundles the entry point into an asset directory without a `node_modules` above it. The name is the content hash. */
function bundle(entry: string): { directory: string; name: string; sourceMaps: string } {
  const outdir = temporaryDirectory();
  const app = new App({ outdir, builtinCloudFormationValidation: false });
  lambdaFunction(new Stack(app, 'Stack'), 'Function', entry);
  app.synth();

  const [name, ...others] = readdirSync(outdir).filter((name) => name.startsWith('asset.'));
  if (name === undefined || others.length > 0) throw new Error('Expected one asset');
  const sourceMaps = join(outdir, 'source-maps', name.replace('asset.', ''));
  return { directory: join(outdir, name), name, sourceMaps };
}

/** Returns the exports of `index.mjs`. Throws when an import is neither in the directory nor a built-in module. */
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

/** With lazy chunks, with an AWS SDK client, and with neither. */
const someEntries = [
  'inference/inference.lambda.ts',
  'accounts/sign-in/sign-in.lambda.ts',
  'maintenance/lost-entries.lambda.ts',
];

describe('functionBundle', () => {
  it.each(byTestForm({ short: someEntries, long: globSync('**/*.lambda.ts', { cwd: 'lambdas' }) }))(
    'bundles %s with all of its imports as ES modules',
    (entry) => {
      const { directory, sourceMaps } = bundle(entry);

      const files = readdirSync(directory);
      expect(exportsOf(directory)).toEqual(['handler']);
      expect(files.filter((name) => !name.endsWith('.mjs'))).toEqual([]);
      // The source maps are not deployed.
      expect(
        files.filter((name) => readFileSync(join(directory, name)).includes('sourceMappingURL')),
      ).toEqual([]);
      expect(readdirSync(sourceMaps)).toEqual(files.map((name) => `${name}.map`));
    },
  );

  const rollup = 'costs/rollups/rollup.lambda.ts';

  it('creates different bundles for two entry points in the same folder', () => {
    const app = new App({ outdir: temporaryDirectory(), builtinCloudFormationValidation: false });
    const stack = new Stack(app, 'Stack');
    for (const name of ['log-entry', 'log-list'])
      lambdaFunction(stack, name, `reports/logs/${name}.lambda.ts`);
    const { directory } = app.synth();

    expect(readdirSync(directory).filter((name) => name.startsWith('asset.'))).toHaveLength(2);
  });

  it('creates the same asset hash for the same code', () => {
    expect(bundle(rollup).name).toBe(bundle(rollup).name);
  });
});
