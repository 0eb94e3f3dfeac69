/**
 * Builds the page or all bundles into the build cache, where constructs find them: `node lib/build.ts page` and
 * `node lib/build.ts bundles`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { builtPageDirectory, isPageBuilt } from './dashboard/page-build.ts';
import { cachedBundle, missingBundles } from './functions/bundle.ts';
import type { Settings } from './settings/settings.ts';

/** Builds the missing page and bundles in two processes. Constructs would build them one after the other. */
export async function buildConcurrently({ dashboard }: Pick<Settings, 'dashboard'>): Promise<void> {
  const missing = [
    ...(dashboard && !isPageBuilt() ? ['page'] : []),
    ...(missingBundles().length === 0 ? [] : ['bundles']),
  ];
  await Promise.all(missing.map(buildInProcess));
}

/** A failed build is repeated by its construct, which throws the error. */
async function buildInProcess(name: string): Promise<void> {
  const child = spawn(process.execPath, [import.meta.filename, name], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'close');
}

if (import.meta.main) {
  if (process.argv.includes('page')) builtPageDirectory();
  else missingBundles().forEach(cachedBundle);
}
