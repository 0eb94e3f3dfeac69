/** Returns the cloud assembly of `npm start`. The first test file that needs it synthesizes it, unless it is in the cache. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inject } from 'vitest';
import type { GatewayConfig } from '#lib/settings/settings.ts';
import { findOrSynthesize } from '#local/template/synthesize.ts';
import { recordTemplate } from './template-checks/recorded-templates.ts';

/** Settings with e-mails, and with a restricted sign-up. */
export const mailSettings: GatewayConfig = {
  mailFrom: 'gateway@acme.example',
  organizationCreators: ['ada@example.com', 'ada@example.org'],
};

/** vLLM and Ollama with chats only, as the settings say. The local gateway takes their addresses from the environment. */
export const chatServers: GatewayConfig['providers'] = {
  vllm: { baseUrl: 'http://10.0.0.5:8000/v1', private: true, operations: { responses: false } },
  ollama: { baseUrl: 'http://10.0.0.6:11434/v1', private: true, operations: { responses: false } },
};

/** Does not read the project's configuration file: without `settings`, all have their defaults. */
export async function gatewayAssembly(settings: GatewayConfig = {}): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(settings)).digest('hex');
  const lock = join(inject('runDirectory'), `assembly-${hash.slice(0, 16)}.lock`);
  // A synthesis takes seconds of processor time, so the other workers wait for the first one.
  while (!(await takeLock(lock))) await delay(100);
  try {
    const assembly = await findOrSynthesize({ environment: { PATH: process.env.PATH }, settings });
    for (const file of globSync('*.template.json', { cwd: assembly }))
      recordTemplate({ settings, template: JSON.parse(readFileSync(join(assembly, file), 'utf8')) });
    return assembly;
  } finally {
    await rmdir(lock);
  }
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
