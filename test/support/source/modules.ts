/** Reads the imports and exports of the project's source files. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'vite';

export const projectRoot = path.resolve(import.meta.dirname, '../../..');

interface ModuleImport {
  /** Project files relative to the root, packages by name. */
  from: string;
  /** `default` for the default export, `null` where the whole module is imported, such as by `import()`. */
  names: string[] | null;
  /** True for an import in a comment of JavaScript, which only `tsc` reads. */
  inComment: boolean;
}

export interface SourceModule {
  file: string;
  code: string;
  imports: ModuleImport[];
  exports: string[];
}

/** Returns the source files below `folders`, relative to the root and sorted. */
export function sourceFilesIn(...folders: string[]): string[] {
  return folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,mjs}`, { cwd: projectRoot })).sort();
}

const modules = new Map<string, SourceModule>();

/** `file` is relative to the root. */
export function sourceModule(file: string): SourceModule {
  const known = modules.get(file);
  if (known) return known;
  const read = parseModule(file, readFileSync(path.join(projectRoot, file), 'utf8'));
  modules.set(file, read);
  return read;
}

export function parseModule(file: string, code: string): SourceModule {
  const { module, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const resolve = (specifier: string) =>
    specifier.startsWith('.') ? path.join(path.dirname(file), specifier) : specifier.replace(/^#/, '');
  const entries = module.staticExports.flatMap((statement) => statement.entries);
  return {
    file,
    code,
    imports: [
      ...module.staticImports.map(({ moduleRequest, entries }) => ({
        from: resolve(moduleRequest.value),
        names: entries.some(({ importName }) => importName.kind === 'NamespaceObject')
          ? null
          : entries.map(({ importName }) => importName.name ?? 'default'),
        inComment: false,
      })),
      ...entries.flatMap(({ moduleRequest, importName }) =>
        moduleRequest === null
          ? []
          : [
              {
                from: resolve(moduleRequest.value),
                names: importName.kind === 'Name' ? [importName.name ?? 'default'] : null,
                inComment: false,
              },
            ],
      ),
      // Both import() and import types.
      ...[...code.matchAll(/\bimport\(\s*'([^'\n]+)'/g)].map(([, specifier = '']) => ({
        from: resolve(specifier),
        names: null,
        inComment: false,
      })),
      ...[...code.matchAll(/@import \{ ([^}]*) \} from '([^'\n]+)'/g)].map(
        ([, names = '', specifier = '']) => ({
          from: resolve(specifier),
          names: names.split(', '),
          inComment: true,
        }),
      ),
    ],
    exports: entries.map(({ exportName }) => exportName.name ?? 'default'),
  };
}

/** Returns the files and packages that a file imports or loads at run time. */
export function importsOf(file: string): string[] {
  return sourceModule(file)
    .imports.filter(({ inComment }) => !inComment)
    .map(({ from }) => from);
}
