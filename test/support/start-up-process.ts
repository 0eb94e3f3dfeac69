/**
 * One start of a function, in a process of its own: imports the file that it is given, waits until nothing goes on any
 * more, and prints what was loaded. What a function begins to load while it starts counts, even where nobody waits for it.
 */
import { builtinModules, registerHooks } from 'node:module';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface Loaded {
  /** Node's public modules, without the prefix `node:`, and the packages that it has inside, undici among them. */
  nodeModules: string[];
  /** The names of the files. */
  files: string[];
}

const [file = ''] = process.argv.slice(2);
const files: string[] = [];
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) files.push(basename(url));
    return next(url, context);
  },
});
Object.assign(globalThis, {
  awslambda: { streamifyResponse: (handler: unknown) => handler, HttpResponseStream: { from: () => null } },
});

process.once('beforeExit', () => {
  const loaded: Loaded = { nodeModules: moduleLoadList().flatMap(nameOf).sort(), files };
  console.log(JSON.stringify(loaded));
});
await import(pathToFileURL(file).href);

/** What Node's own tests hold its start to; the types do not know it. */
function moduleLoadList(): string[] {
  return Reflect.get(process, 'moduleLoadList');
}

function nameOf(loaded: string): string[] {
  const name = loaded.replace('NativeModule ', '');
  return builtinModules.includes(name) || name.startsWith('internal/deps/') ? [name] : [];
}
