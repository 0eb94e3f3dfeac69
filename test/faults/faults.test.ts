/** Fault injection. The short form runs some scenarios with a few requests; the long form runs all with many. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';
import { testForm } from '#test/support/test-form.ts';
import { type FaultEnvironment, faultSettings, startFaultEnvironment } from './harness/fault-environment.ts';
import { tableHeader, tableRow, totalRow } from './result-table.ts';
import { runScenario, type ScenarioResult } from './run-scenario.ts';
import { allScenarios } from './scenarios/all.ts';

const scenarios = allScenarios.filter(({ requests }) => testForm === 'long' || requests.short !== undefined);
const results: ScenarioResult[] = [];

describe('Fault injection', () => {
  let environment: FaultEnvironment;
  beforeAll(async () => {
    environment = await startFaultEnvironment(await gatewayAssembly(faultSettings));
  });
  afterAll(async () => {
    await environment[Symbol.asyncDispose]();
    if (testForm === 'long')
      console.log([tableHeader, ...results.map(tableRow), tableRow(totalRow(results))].join('\n'));
  });

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
