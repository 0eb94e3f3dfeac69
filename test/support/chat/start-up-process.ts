/**
 * Simulates a cold start in a separate process: imports the given file, waits until the event loop is empty, and prints
 * the loaded modules. These include modules that the function starts to load without awaiting them.
 */
import { builtinModules, registerHooks } from 'node:module';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface LoadedModules {
  /** Node's public modules, without the prefix `node:`, and its internal packages, such as undici. */
  nodeModules: string[];
  /** File names without folders. */
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
  const loaded: LoadedModules = { nodeModules: moduleLoadList().flatMap(toModuleNames).sort(), files };
  console.log(JSON.stringify(loaded));
});
await import(pathToFileURL(file).href);

/** Node's own start-up tests use this undocumented list. */
function moduleLoadList(): string[] {
  return Reflect.get(process, 'moduleLoadList');
}

function toModuleNames(loaded: string): string[] {
  const name = loaded.replace('NativeModule ', '');
  return builtinModules.includes(name) || name.startsWith('internal/deps/') ? [name] : [];
}
