import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { compileCacheDirectory } from './lib/build-cache.ts';
import { byTestForm } from './test/support/test-form.ts';
import { slowestFiles } from './test/support/vitest/slowest-files.ts';
import { SlowestFirstSequencer } from './test/support/vitest/slowest-first.ts';

// For packages and for the processes of functions: the workers inherit the variable.
process.env.NODE_COMPILE_CACHE = compileCacheDirectory();

/** Aborts tests that hang, but not those on a busy machine: no test asserts a duration. */
const timeoutMs = byTestForm({ short: 120_000, long: 1_800_000 });

/**
 * Starting a process takes longer than most of these test files, so they share the workers' processes. Files that mock
 * modules or globals, or that observe their process, run isolated.
 */
const light = globSync('test/{bench,cli,dashboard,docs,fuzz,lambdas,lib,local,support}/**/*.test.ts').filter(
  (file) => !/vi\.mock\(|vi\.stub|useFakeTimers\(|getActiveResourcesInfo/.test(readFileSync(file, 'utf8')),
);

export default defineConfig({
  test: {
    reporters: ['default', slowestFiles],
    globalSetup: ['test/support/vitest/run-directory.ts'],
    setupFiles: ['test/support/canary/watch-output.ts'],
    // Twice the number of cores: tests on the local stack wait for other processes most of the time.
    maxWorkers: 4,
    fsModuleCache: true,
    sequence: { sequencer: SlowestFirstSequencer },
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    // Most polls call a gateway, which needs the processor for what they wait for.
    expect: { poll: { timeout: 60_000, interval: 150 } },
    projects: [
      { extends: true, test: { name: 'isolated', include: ['test/**/*.test.ts'], exclude: light } },
      { extends: true, test: { name: 'light', include: light, isolate: false } },
    ],
  },
});
