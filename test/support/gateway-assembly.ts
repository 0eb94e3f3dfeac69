/** The cloud assembly that `npm start` would synthesize, made by the first test file of a run that needs it. */
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
    // The other worker was first: either assembly will do.
    if (!existsSync(shared)) throw error;
  }
  return shared;
}
