/** Returns the cloud assembly of `npm start`. The first test file that needs it synthesizes it for the whole run. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inject } from 'vitest';
import type { GatewayConfig } from '#lib/settings.ts';
import { synthesize } from '#local/template/synthesize.ts';

const projectDirectory = resolve(import.meta.dirname, '../..');

/** `settings` replace those of the project's configuration file. */
export async function gatewayAssembly(settings?: GatewayConfig): Promise<string> {
  const runDirectory = inject('runDirectory');
  const hash = createHash('sha256').update(JSON.stringify(settings ?? null));
  const shared = join(runDirectory, `assembly-of-${hash.digest('hex').slice(0, 16)}`);
  const lock = `${shared}.lock`;
  // A synthesis takes seven seconds of processor time, so the other workers wait for the first one.
  while (!existsSync(shared)) {
    if (!(await takeLock(lock))) {
      await delay(100);
      continue;
    }
    try {
      if (!existsSync(shared)) await synthesizeTo(shared, settings);
    } finally {
      await rmdir(lock);
    }
  }
  return shared;
}

async function synthesizeTo(directory: string, settings: GatewayConfig | undefined): Promise<void> {
  const outputDirectory = await mkdtemp(`${directory}-`);
  await synthesize({ projectDirectory, outputDirectory, environment: { PATH: process.env.PATH }, settings });
  // Nobody sees a part of it.
  await rename(outputDirectory, directory);
}

/** Returns false when another worker has the lock. */
async function takeLock(directory: string): Promise<boolean> {
  try {
    await mkdir(directory);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
