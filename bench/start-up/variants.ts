/** The chat function built in the ways that there are to choose from, each into a folder of its own. */
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BuildOptions, buildSync, type Metafile, transformSync } from 'esbuild';
import { bundleOptions } from '#lib/functions/function-bundle.ts';
import { type ColdStart, coldStartOf } from './cold-start.ts';

export interface Variant {
  name: string;
  /** What Node is told to load. */
  file: string;
  /** What a cold start reads, and all that is deployed. */
  readBytes: number;
  readFiles: number;
  wholeBytes: number;
}

export interface Variants {
  variants: Variant[];
  /** Of the bundle as it is deployed. */
  deployed: ColdStart;
}

const options = bundleOptions('inference/chat/chat.lambda.ts');

/** CommonJS has `require`, and its chunks are named so that Node takes them for what they are. */
const commonJs = { format: 'cjs', splitting: false, banner: {}, outExtension: { '.js': '.cjs' } } as const;

export function buildVariants(directory: string): Variants {
  const build = (name: string, differences: BuildOptions) => buildVariant(directory, name, differences);
  const deployed = buildDeployed(directory);
  const variants = [
    deployed.variant,
    build('not minified', { minify: false }).variant,
    build('one file', { splitting: false }).variant,
    splitCommonJs(directory),
    build('CommonJS, one file', commonJs).variant,
    build('CommonJS before ES modules in packages', { mainFields: ['main', 'module'] }).variant,
  ];
  return { variants, deployed: deployed.coldStart };
}

export function buildDeployed(directory: string) {
  return buildVariant(directory, 'as deployed', {});
}

/** The least that a bundle can do: load the modules of Node that the deployed one loads. */
export function buildFloors(directory: string, nodeModules: string[]): Variant[] {
  const required = nodeModules.map((name) => `process.getBuiltinModule('${name}');`).join('\n');
  const imported = nodeModules.map((name) => `import '${name}';`).join('\n');
  return [
    writeVariant(directory, 'nothing', ''),
    writeVariant(directory, "Node's own modules alone, required", required),
    writeVariant(directory, "Node's own modules alone, imported", imported),
  ];
}

function writeVariant(directory: string, name: string, code: string): Variant {
  const file = join(folderOf(directory, name), 'index.mjs');
  const text = `${code}\nexport const handler = () => {};\n`;
  writeFileSync(file, text);
  return { name, file, readBytes: text.length, readFiles: 1, wholeBytes: text.length };
}

function buildVariant(directory: string, name: string, differences: BuildOptions) {
  const outdir = folderOf(directory, name);
  const { metafile } = buildSync({ ...options, ...differences, outdir, metafile: true });
  return describe(name, outdir, metafile);
}

/** esbuild splits ES modules only, so those are made first, and each is translated by itself. */
function splitCommonJs(directory: string): Variant {
  const name = 'CommonJS';
  const outdir = folderOf(directory, name);
  const { outputFiles, metafile } = buildSync({
    ...options,
    banner: {},
    outExtension: { '.js': '.cjs' },
    outdir,
    write: false,
    metafile: true,
  });
  for (const { path, text } of outputFiles) {
    const { code } = transformSync(text, {
      format: 'cjs',
      platform: 'node',
      target: options.target,
      minify: true,
      supported: { 'dynamic-import': false },
    });
    writeFileSync(path, code);
  }
  return describe(name, outdir, metafile).variant;
}

function describe(name: string, outdir: string, metafile: Metafile) {
  const coldStart = coldStartOf(metafile);
  const read = coldStart.files.map((file) => basename(file));
  const bytesOf = (files: string[]) =>
    files.reduce((sum, file) => sum + statSync(join(outdir, file)).size, 0);
  const index = read.find((file) => file.startsWith('index.')) ?? '';
  const variant: Variant = {
    name,
    file: join(outdir, index),
    readBytes: bytesOf(read),
    readFiles: read.length,
    wholeBytes: bytesOf(readdirSync(outdir)),
  };
  return { variant, coldStart };
}

function folderOf(directory: string, name: string): string {
  const folder = join(directory, name.replace(/\W+/g, '-'));
  mkdirSync(folder, { recursive: true });
  return folder;
}
