/** Fault injection. The short form runs some scenarios with a few requests; the long form runs all with many. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';
import { testForm } from '#test/support/test-form.ts';
import { type FaultEnvironment, faultSettings, startFaultEnvironment } from './harness/fault-environment.ts';
import { tableHeader, tableRow, totalRow } from './result-table.ts';
import { runScenario, type ScenarioResult } from './run-scenario.ts';
import { allScenarios } from './scenarios/all.ts';

const scenarios = allScenarios.filter(({ requests }) => testForm === 'long' || requests.short !== undefined);
/** Each has an environment of its own. */
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
  let environment: FaultEnvironment;
  beforeAll(async () => {
    const assemblyDirectory = await gatewayAssembly(faultSettings);
    environment = await startFaultEnvironment({ assemblyDirectory, reportDisconnects });
  });
  afterAll(() => environment[Symbol.asyncDispose]());

  it.each(scenarios.map((scenario) => [scenario.fault, scenario] as const))(
    'writes one entry for each request that reached a provider, and exact costs: %s',
    async (_fault, scenario) => {
      const result = await runScenario(environment, { scenario, form: testForm });
      results.push(result);
      const { received, entries, lost, duplicated, violations } = result;
      expect({ lost, duplicated, violations }).toEqual({ lost: 0, duplicated: 0, violations: [] });
      expect(entries).toBe(received);
      expect(received).toBeGreaterThan(0);
    },
  );
});
