/** Vitest global setup: creates a directory for files that test files share, and removes it after the run. */
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
