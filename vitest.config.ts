import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { compileCacheDirectory } from './lib/cache-directory.mjs';
import { byTestForm } from './test/support/test-form.ts';
import { slowestFiles } from './test/support/vitest/slowest-files.ts';
import { SlowestFirstSequencer } from './test/support/vitest/slowest-first.ts';

// For packages and for the processes of functions: the workers inherit the variable.
process.env.NODE_COMPILE_CACHE = compileCacheDirectory();
// The AWS SDK would look for an EC2 instance, beyond loopback, where a test names no region or credentials.
process.env.AWS_EC2_METADATA_DISABLED = 'true';

/** Aborts tests that hang, but not those on a busy machine: no test asserts a duration. */
const timeoutMs = byTestForm({ short: 300_000, long: 3_600_000 });

/** Files that mock modules, or that observe their process, have one of their own. All others share the workers' processes. */
const isolated = globSync('test/**/*.test.ts').filter((file) =>
  /vi\.mock\(|getActiveResourcesInfo/.test(readFileSync(file, 'utf8')),
);

export default defineConfig({
  test: {
    reporters: ['default', slowestFiles],
    globalSetup: ['test/support/vitest/run-directory.ts'],
    setupFiles: [
      'test/support/planted-secrets/watch-output.ts',
      'test/support/template-checks/check-recorded.ts',
    ],
    // Twice the number of cores: tests on the local stack wait for other processes most of the time.
    maxWorkers: 4,
    fsModuleCache: true,
    sequence: { sequencer: SlowestFirstSequencer },
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    // Most polls call a gateway, which needs the processor for what they wait for.
    expect: { poll: { timeout: 60_000, interval: 150 } },
    projects: [
      {
        extends: true,
        test: { name: 'shared', include: ['test/**/*.test.ts'], exclude: isolated, isolate: false },
      },
      { extends: true, test: { name: 'isolated', include: isolated } },
    ],
  },
});
