/** Builds the chat function with different bundling options, each bundle in a separate directory. */
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';
import { bundleOptions } from '#lib/functions/bundle.ts';
import { chatEntry } from '../harness/chat-bundle.ts';
import { createBuildDirectory } from '../harness/process.ts';

export interface Bundle {
  name: string;
  entryFile: string;
  coldStartBytes: number;
  coldStartFiles: number;
  totalBytes: number;
}

export function buildBundles(): { bundles: Bundle[]; deployed: ColdStart } {
  const deployed = buildBundle('as deployed', {});
  const commonJs = { format: 'cjs', splitting: false, outExtension: { '.js': '.cjs' } } as const;
  return {
    deployed: deployed.coldStart,
    bundles: [
      ...minimalBundles(deployed.coldStart.builtinModules),
      deployed.bundle,
      buildBundle('not minified', { minify: false }).bundle,
      buildBundle('one file', { splitting: false }).bundle,
      buildBundle('CommonJS, one file', commonJs).bundle,
      buildBundle('CommonJS before ES modules in packages', { mainFields: ['main', 'module'] }).bundle,
    ],
  };
}

function buildBundle(name: string, changes: BuildOptions): { bundle: Bundle; coldStart: ColdStart } {
  const outdir = createBuildDirectory();
  const { metafile } = buildSync({ ...bundleOptions(chatEntry), ...changes, outdir, metafile: true });
  const coldStart = coldStartOf(metafile);
  const coldStartFiles = coldStart.files.map((file) => basename(file));
  const sumBytes = (files: string[]) =>
    files.reduce((sum, file) => sum + statSync(join(outdir, file)).size, 0);
  const bundle = {
    name,
    entryFile: join(outdir, coldStartFiles.find((file) => file.startsWith('index.')) ?? ''),
    coldStartBytes: sumBytes(coldStartFiles),
    coldStartFiles: coldStartFiles.length,
    totalBytes: sumBytes(readdirSync(outdir)),
  };
  return { bundle, coldStart };
}

/** Lower bounds: an empty bundle, and bundles that only load the Node modules of the deployed bundle. */
function minimalBundles(builtinModules: string[]): Bundle[] {
  const required = builtinModules.map((name) => `process.getBuiltinModule('${name}');`).join('\n');
  const imported = builtinModules.map((name) => `import '${name}';`).join('\n');
  return [
    writeBundle('empty', ''),
    writeBundle('Node modules only, required', required),
    writeBundle('Node modules only, imported', imported),
  ];
}

function writeBundle(name: string, code: string): Bundle {
  const entryFile = join(createBuildDirectory(), 'index.mjs');
  const text = `${code}\nexport const handler = () => {};\n`;
  writeFileSync(entryFile, text);
  return { name, entryFile, coldStartBytes: text.length, coldStartFiles: 1, totalBytes: text.length };
}

/** Files that a cold start reads: all static imports, no lazy `import()`s. */
interface ColdStart {
  /** Output files, with their names in the metafile. */
  files: string[];
  builtinModules: string[];
  /** In descending order of size. The gateway's code is listed as `gatewayCode`. */
  bytesByPackage: [name: string, bytes: number][];
}

export const gatewayCode = 'gateway';

export function coldStartOf({ outputs }: Pick<Metafile, 'outputs'>): ColdStart {
  const entry = Object.keys(outputs).find((file) => /(^|\/)index\.\w+$/.test(file));
  if (entry === undefined) throw new Error('The bundle has no index file');
  const files = new Set<string>();
  const builtinModules = new Set<string>();
  const visit = (file: string) => {
    if (files.has(file)) return;
    files.add(file);
    for (const { path, kind, external } of outputs[file]?.imports ?? []) {
      if (kind === 'dynamic-import') continue;
      if (external) builtinModules.add(path);
      else visit(path);
    }
  };
  visit(entry);
  return {
    files: [...files],
    builtinModules: [...builtinModules].sort(),
    bytesByPackage: bytesByPackage([...files].flatMap((file) => Object.entries(outputs[file]?.inputs ?? {}))),
  };
}

function bytesByPackage(inputs: [file: string, part: { bytesInOutput: number }][]): [string, number][] {
  const sums = new Map<string, number>();
  for (const [file, { bytesInOutput }] of inputs) {
    const name = packageOf(file);
    sums.set(name, (sums.get(name) ?? 0) + bytesInOutput);
  }
  return [...sums].filter(([, bytes]) => bytes > 0).sort(([, one], [, other]) => other - one);
}

/** Returns the innermost package, since `node_modules` folders can be nested. */
function packageOf(file: string): string {
  return /^.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? gatewayCode;
}
