import { expect, it } from 'vitest';
import { byTestForm } from '#test/support/test-form.ts';
import { explore } from './explore.ts';
import { scenarios } from './scenarios.ts';

it.each(scenarios)(
  'admits nothing beyond a limit, refuses nothing wrongly and leaks nothing in any order: $name',
  async (scenario) => {
    const { states, ends, refusals } = await explore(scenario);

    byTestForm({
      short: () => {},
      long: () => console.info(`${scenario.name}: ${states} states, ${ends} at rest, ${refusals} refusals`),
    })();
    expect(ends).toBeGreaterThan(0);
    expect(refusals).toBeGreaterThan(0);
  },
  byTestForm({ short: 120_000, long: 3_600_000 }),
);
