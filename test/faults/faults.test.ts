/** Fault injection. The short form runs some scenarios with a few requests; the long form runs all with many. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';
import { testForm } from '#test/support/test-form.ts';
import { tableHeader, tableRow, totalRow } from './result-table.ts';
import { runScenario, type ScenarioResult } from './run-scenario.ts';
import { allScenarios } from './scenarios/all.ts';
import { type FaultFixture, faultSettings, startFaultFixture } from './support/fault-fixture.ts';

const scenarios = allScenarios.filter(({ requests }) => testForm === 'long' || requests.short !== undefined);
/** Each has a fixture of its own. */
const groups = [
  { name: 'Fault injection', reportDisconnects: false },
  { name: 'Fault injection in functions that are told of disconnects', reportDisconnects: true },
].flatMap((group) => {
  const own = scenarios.filter(
    ({ reportDisconnects = false }) => reportDisconnects === group.reportDisconnects,
  );
  return own.length === 0 ? [] : { ...group, scenarios: own };
});
const results: ScenarioResult[] = [];

afterAll(() => {
  if (testForm === 'long')
    console.log([tableHeader, ...results.map(tableRow), tableRow(totalRow(results))].join('\n'));
});

describe.each(groups)('$name', ({ reportDisconnects, scenarios }) => {
  let fixture: FaultFixture;
  beforeAll(async () => {
    const assemblyDirectory = await gatewayAssembly(faultSettings);
    fixture = await startFaultFixture({ assemblyDirectory, reportDisconnects });
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  it.each(scenarios.map((scenario) => [scenario.fault, scenario] as const))(
    'writes one entry for each request that reached a provider, and exact costs: %s',
    async (_fault, scenario) => {
      const result = await runScenario(fixture, { scenario, form: testForm });
      results.push(result);
      const { received, entries, lost, duplicated, violations } = result;
      expect({ lost, duplicated, violations }).toEqual({ lost: 0, duplicated: 0, violations: [] });
      expect(entries).toBe(received);
      expect(received).toBeGreaterThan(0);
    },
  );
});
