/** Returns the cloud assembly of `npm start`. The first test file that needs it synthesizes it for the whole run. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { inject } from 'vitest';
import type { GatewayConfig } from '#lib/settings.ts';
import { synthesize } from '#local/template/synthesize.ts';

const projectDirectory = resolve(import.meta.dirname, '../..');

/** `settings` replace those of the project's configuration file. */
export async function gatewayAssembly(settings?: GatewayConfig): Promise<string> {
  const runDirectory = inject('runDirectory');
  const hash = createHash('sha256').update(JSON.stringify(settings ?? null));
  const shared = join(runDirectory, `assembly-of-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(shared)) return shared;
  const outputDirectory = await mkdtemp(join(runDirectory, 'assembly-'));
  await synthesize({ projectDirectory, outputDirectory, environment: { PATH: process.env.PATH }, settings });
  try {
    await rename(outputDirectory, shared);
  } catch (error) {
    // The other worker was first. Both assemblies are the same.
    if (!existsSync(shared)) throw error;
  }
  return shared;
}
