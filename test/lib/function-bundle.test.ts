import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Architecture, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { bundleOptions, functionBundle } from '../../lib/function-bundle.ts';

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

/** What Node reads before the handler can run: the lazy `import()`s left out. */
function coldStartOf(folder: string): { bytes: number; modules: string[] } {
  const options = { ...bundleOptions(folder), outdir: 'unwritten', write: false, metafile: true } as const;
  const { outputs } = buildSync(options).metafile;
  const reached = new Set<string>();
  const nodeModules = new Set<string>();
  const visit = (file: string) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const { path, kind, external } of outputs[file]?.imports ?? []) {
      if (external) nodeModules.add(path);
      else if (kind === 'import-statement') visit(path);
    }
  };
  visit('unwritten/index.mjs');
  const files = [...reached].flatMap((file) => outputs[file] ?? []);
  return {
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    modules: [...nodeModules, ...files.flatMap(({ inputs }) => Object.keys(inputs))],
  };
}

describe('the bundle of a function', { timeout: 30_000 }, () => {
  it.each(['chat', 'models', 'logs', 'log', 'costs', 'rollup', 'recovery'])(
    'holds all that %s needs, as ES modules',
    (folder) => {
      const { directory } = bundle(folder);

      expect(exportsOf(directory)).toEqual(['handler']);
      expect(readdirSync(directory).filter((name) => !name.endsWith('.mjs'))).toEqual([]);
    },
  );

  it('starts chat with little, and without what only some requests need', () => {
    const { bytes, modules } = coldStartOf('chat');
    const chat = modules.filter((module) => module.startsWith('lambdas/'));

    expect(chat).toContain('lambdas/shared/providers/openai/openai-stream.ts');
    // Translations, and what is changed in requests for those who take less than OpenAI.
    expect(chat.filter((module) => /providers\/(anthropic|bedrock|google)\//.test(module))).toEqual([]);
    expect(chat.filter((module) => /\/translation\/(?!completion-sink)/.test(module))).toEqual([]);
    expect(chat.filter((module) => /\/request-(?!changes)[\w-]+\.ts$/.test(module))).toEqual([]);
    // Prices, and the list of models.
    expect(
      chat.filter((module) => /price-table|price-data|table-names|model-names|models-/.test(module)),
    ).toEqual([]);
    expect(modules.filter((module) => /client-bedrock|node:http2$/.test(module))).toEqual([]);
    // Of the AWS SDK, what reads items and nothing that calls a service.
    const sdk = /@aws-sdk\/(?!util-dynamodb\/)|@smithy\//;
    expect(modules.filter((module) => sdk.test(module))).toEqual([]);
    expect(bytes).toBeLessThan(100_000);
  });

  it('has the same name for the same code', () => {
    expect(bundle('rollup').name).toBe(bundle('rollup').name);
  });
});
