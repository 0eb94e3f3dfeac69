import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { assemblyBuild, findOrSynthesize, readSettings } from '#local/template/synthesize.ts';

const temporary = mkdtempSync(join(tmpdir(), 'synthesize-'));
let projectDirectory: string;
beforeEach(() => {
  projectDirectory = mkdtempSync(join(temporary, 'project-'));
  vi.stubEnv('XDG_CACHE_HOME', join(projectDirectory, 'cache'));
  mkdirSync(join(projectDirectory, 'bin'));
  write('cdk.json', '{"context":{"color":"red"}}');
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true });
});

function write(file: string, content: string): void {
  writeFileSync(join(projectDirectory, file), content);
}

/** The app writes its context and environment instead of a template. */
const app = `
  import { readFileSync, writeFileSync } from 'node:fs';
  const context = JSON.parse(process.env.CDK_CONTEXT_JSON);
  const settings = JSON.parse(readFileSync(context.config, 'utf8'));
  console.error('Building chat.lambda.ts');
  writeFileSync(process.env.CDK_OUTDIR + '/inputs.json', JSON.stringify([context.color, settings, process.env.SECRET]));`;

const synthesize = (environment: NodeJS.ProcessEnv = {}, onProgress = (_step: string) => {}) =>
  findOrSynthesize({ environment: { PATH: process.env.PATH, ...environment }, projectDirectory, onProgress });

const inputsOf = (assembly: string) => JSON.parse(readFileSync(join(assembly, 'inputs.json'), 'utf8'));

describe('findOrSynthesize', () => {
  it('runs the app with the settings of the project, and only once', async () => {
    write('bin/app.ts', app);
    write('gateway.config.ts', 'export default { chatMemoryMb: Number(process.env.MEMORY) };');
    const steps: string[] = [];
    const environment = { MEMORY: '512', SECRET: 'unused' };
    const assembly = await synthesize(environment, (step) => steps.push(step));
    const again = await synthesize({ ...environment, SECRET: 'changed' }, (step) => steps.push(step));

    expect(inputsOf(assembly)).toEqual(['red', { chatMemoryMb: 512 }, null]);
    expect(again).toBe(assembly);
    expect(steps).toEqual([
      'Synthesizing the stack, which takes up to a minute after a change of the code',
      'Building chat.lambda.ts',
    ]);
    expect(statSync(join(projectDirectory, 'cache/ai-gateway')).mode & 0o777).toBe(0o700);
  });

  it('reports the error of the app in one line', async () => {
    write('bin/app.ts', 'console.log("Bundling"); throw new Error("no color");');

    await expect(synthesize()).rejects.toThrow(
      'The stack cannot be synthesized: Error: no color ("npm run synth" prints everything)',
    );
  });

  it('reports invalid settings in the line that `cdk synth` prints', async () => {
    write('gateway.config.ts', 'export default { chatMemoryMb: 64 };');

    await expect(synthesize()).rejects.toThrow(
      /^gateway\.config\.ts: chatMemoryMb must be a whole number from 128 to 10240: got 64$/,
    );
  });

  it('runs the app again with another configuration file, which is relative to where npm was called', async () => {
    write('bin/app.ts', app);
    write('gateway.config.ts', 'export default { chatMemoryMb: 512 };');
    mkdirSync(join(projectDirectory, 'settings'));
    write('settings/staging.config.json', '{"chatMemoryMb":1024}');
    const own = await synthesize();
    const staging = await findOrSynthesize({
      environment: { PATH: process.env.PATH, INIT_CWD: join(projectDirectory, 'settings') },
      context: { config: 'staging.config.json' },
      projectDirectory,
    });

    expect(inputsOf(staging)).toEqual(['red', { chatMemoryMb: 1024 }, null]);
    expect(inputsOf(own)).toEqual(['red', { chatMemoryMb: 512 }, null]);
    expect(await synthesize()).toBe(own);
  });
});

describe('readSettings', () => {
  const settings = (memory?: string) =>
    readSettings({ environment: { PATH: process.env.PATH, MEMORY: memory }, projectDirectory });

  it('follows the variables and the files that the configuration file reads', async () => {
    write('memory.json', '256');
    write(
      'gateway.config.ts',
      "import memory from './memory.json' with { type: 'json' }; export default { chatMemoryMb: Number(process.env.MEMORY ?? memory) };",
    );
    const fromFile = await settings();
    write('memory.json', '512');

    expect([fromFile, await settings(), await settings('1024')]).toEqual([
      { chatMemoryMb: 256 },
      { chatMemoryMb: 512 },
      { chatMemoryMb: 1024 },
    ]);
  });

  it('returns no settings without a configuration file', async () => {
    expect(await settings()).toEqual({});
  });
});

describe('assemblyBuild', () => {
  it.each([
    'bin/app.ts',
    'cdk.json',
    'dashboard/main.tsx',
    'lambdas/chat.ts',
    'lib/stack.ts',
    'package-lock.json',
  ])('has another key after a change of %s', (file) => {
    for (const folder of ['dashboard', 'lambdas', 'lib']) mkdirSync(join(projectDirectory, folder));
    const { key } = assemblyBuild({}, projectDirectory);
    write(file, 'changed');

    expect(assemblyBuild({}, projectDirectory).key).not.toBe(key);
  });

  it('has another key with other settings', () => {
    expect(assemblyBuild({ chatMemoryMb: 512 }, projectDirectory).key).not.toBe(
      assemblyBuild({}, projectDirectory).key,
    );
  });
});
