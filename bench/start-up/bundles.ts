/** The chat function, bundled in one way or another, each bundle in a directory of its own. */
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';
import { bundleOptions } from '#lib/functions/function-bundle.ts';
import { chatEntry } from '../harness/chat-bundle.ts';
import { newDirectory } from '../harness/process.ts';

export interface Bundle {
  name: string;
  /** What Node loads. */
  file: string;
  /** What a cold start reads, and all that is deployed. */
  readBytes: number;
  readFiles: number;
  wholeBytes: number;
}

export function buildBundles(): { bundles: Bundle[]; deployed: ColdStart } {
  const deployed = buildBundle('as deployed', {});
  const commonJs = { format: 'cjs', splitting: false, banner: {}, outExtension: { '.js': '.cjs' } } as const;
  return {
    deployed: deployed.coldStart,
    bundles: [
      ...minimalBundles(deployed.coldStart.nodeModules),
      deployed.bundle,
      buildBundle('not minified', { minify: false }).bundle,
      buildBundle('one file', { splitting: false }).bundle,
      buildBundle('CommonJS, one file', commonJs).bundle,
      buildBundle('CommonJS before ES modules in packages', { mainFields: ['main', 'module'] }).bundle,
    ],
  };
}

/** `changes` are changes of the options that the function is deployed with. */
export function buildBundle(name: string, changes: BuildOptions): { bundle: Bundle; coldStart: ColdStart } {
  const outdir = newDirectory();
  const { metafile } = buildSync({ ...bundleOptions(chatEntry), ...changes, outdir, metafile: true });
  const coldStart = coldStartOf(metafile);
  const read = coldStart.files.map((file) => basename(file));
  const bytesOf = (files: string[]) =>
    files.reduce((sum, file) => sum + statSync(join(outdir, file)).size, 0);
  const bundle = {
    name,
    file: join(outdir, read.find((file) => file.startsWith('index.')) ?? ''),
    readBytes: bytesOf(read),
    readFiles: read.length,
    wholeBytes: bytesOf(readdirSync(outdir)),
  };
  return { bundle, coldStart };
}

/** What no bundle can be faster than: nothing at all, and Node's own modules that the deployed bundle loads. */
function minimalBundles(nodeModules: string[]): Bundle[] {
  const required = nodeModules.map((name) => `process.getBuiltinModule('${name}');`).join('\n');
  const imported = nodeModules.map((name) => `import '${name}';`).join('\n');
  return [
    writeBundle('nothing', ''),
    writeBundle("Node's own modules alone, required", required),
    writeBundle("Node's own modules alone, imported", imported),
  ];
}

function writeBundle(name: string, code: string): Bundle {
  const file = join(newDirectory(), 'index.mjs');
  const text = `${code}\nexport const handler = () => {};\n`;
  writeFileSync(file, text);
  return { name, file, readBytes: text.length, readFiles: 1, wholeBytes: text.length };
}

/** What a cold start reads of a bundle: everything except lazy `import()`s. */
export interface ColdStart {
  /** Output files, as named in the metafile. */
  files: string[];
  /** Node's own modules. */
  nodeModules: string[];
  /** In descending order. The project's own code is `own`. */
  bytesByPackage: [name: string, bytes: number][];
}

export const ownCode = 'own';

export function coldStartOf({ outputs }: Pick<Metafile, 'outputs'>): ColdStart {
  const entry = Object.keys(outputs).find((file) => /(^|\/)index\.\w+$/.test(file));
  if (entry === undefined) throw new Error('The bundle has no index');
  const files = new Set<string>();
  const nodeModules = new Set<string>();
  const visit = (file: string) => {
    if (files.has(file)) return;
    files.add(file);
    for (const { path, kind, external } of outputs[file]?.imports ?? []) {
      if (kind === 'dynamic-import') continue;
      if (external) nodeModules.add(path);
      else visit(path);
    }
  };
  visit(entry);
  return {
    files: [...files],
    nodeModules: [...nodeModules].sort(),
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

/** The innermost one, since packages may have packages of their own. */
function packageOf(file: string): string {
  return /^.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? ownCode;
}
