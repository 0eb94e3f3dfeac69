/** `npm run test:agents`: tests that run real agents, which take minutes and installations. `npm test` leaves them out. */
import { defineConfig } from 'vitest/config';
import project from './vitest.config.ts';

const { projects: _, sequence: __, ...shared } = project.test ?? {};

export default defineConfig({
  test: { ...shared, include: ['test/agents/*.agent.ts'], fileParallelism: false },
});
