/** A directory for what test files share while they run: `globalSetup` makes it, and removes it at the end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    runDirectory: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-tests-'));
  project.provide('runDirectory', directory);
  return () => rm(directory, { recursive: true });
}
