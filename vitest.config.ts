import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    setupFiles: ['test/support/canary/watch-output.ts'],
    // The default leaves a core to Vitest's main process, which idles while tests run.
    maxWorkers: 2,
    fsModuleCache: true,
    // A test that hangs is ended, one that waits for a busy machine is not: nothing asserts how long it took.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
