/** What of a bundle a cold start reads, by esbuild's account of it: the lazy `import()`s left out. */
import type { Metafile } from 'esbuild';

export interface ColdStart {
  /** Of the output, named as esbuild names them. */
  files: string[];
  /** Node's own, each once. */
  nodeModules: string[];
  /** Of each package, most first; the project's own code is `own`. */
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

/** The innermost, where a package has packages of its own. */
function packageOf(file: string): string {
  return /^.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? ownCode;
}
