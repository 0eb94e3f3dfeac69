// @ts-check
/** Entry point of `npm start`: runs the gateway on this machine until Ctrl-C. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { BuildCacheError, compileCacheDirectory } from '#lib/cache-directory.mjs';
import { standardErrors } from '#lib/terminal-output.mjs';

try {
  enableCompileCache(compileCacheDirectory());
} catch (error) {
  if (!(error instanceof BuildCacheError)) throw error;
  standardErrors.write(`${error.message}\n`);
  process.exit(1);
}
// Loaded only now, so that it comes from the cache, like all TypeScript: otherwise Node would load its type stripper.
const { runCommandLine } = await import('./command-line.ts');
runCommandLine({
  arguments: process.argv.slice(2),
  environment: process.env,
  dataDirectory: process.env.GATEWAY_DATA_DIRECTORY ?? join(import.meta.dirname, '..', '.gateway'),
});
