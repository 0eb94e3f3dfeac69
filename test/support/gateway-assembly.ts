/** Returns the cloud assembly of `npm start`. The first test file that needs it synthesizes it for the whole run. */
import { existsSync } from 'node:fs';
import { mkdtemp, rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { inject } from 'vitest';
import { synthesize } from '#local/template/synthesize.ts';

const projectDirectory = resolve(import.meta.dirname, '../..');

export async function gatewayAssembly(): Promise<string> {
  const runDirectory = inject('runDirectory');
  const shared = join(runDirectory, 'assembly');
  if (existsSync(shared)) return shared;
  const outputDirectory = await mkdtemp(join(runDirectory, 'assembly-'));
  await synthesize({ projectDirectory, outputDirectory, environment: { PATH: process.env.PATH } });
  try {
    await rename(outputDirectory, shared);
  } catch (error) {
    // The other worker was first. Both assemblies are the same.
    if (!existsSync(shared)) throw error;
  }
  return shared;
}
