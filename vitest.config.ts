import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { setupFiles: ['test/support/canary/watch-output.ts'] },
});
