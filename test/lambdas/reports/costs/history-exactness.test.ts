/**
 * Compares the costs endpoint with the entries after a random history on the embedded DynamoDB, which the rollup function,
 * rebuilds and replays have counted, around the days on which clocks change: requests of all outcomes, placeholders that their
 * entries replace, new prices, quarantined records, and expired entries whose rows a rebuild has copied.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RepairTables } from '#test/lambdas/costs/repair/support/repair-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import { fc } from '#test/support/fast-check.ts';
import { costDependencies } from '#test/support/reports/cost-dependencies.ts';
import { byTestForm } from '#test/support/test-form.ts';
import {
  autumnChanges,
  parametersNearChange,
  springChanges,
  timeNearChange,
} from './support/clock-change-arbitraries.ts';
import { edgeCaseEntry } from './support/edge-case-arbitraries.ts';
import { expectedCosts, noParameters } from './support/expected-costs.ts';
import { expectedWindow } from './support/expected-window.ts';
import { getCosts } from './support/get-costs-in-memory.ts';
import {
  type History,
  type PriceChange,
  type SimulatedRequest,
  simulateHistory,
} from './support/simulated-history.ts';

const logShards = 3;

let database: EmbeddedDynamoDB;
let tables: RepairTables;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = { ...(await createTables(database)), client: database.documentClient };
});
afterAll(async () => {
  await database.stop();
});

const priceChange = fc.record<PriceChange>({
  phase: fc.constantFrom('before', 'after'),
  cost_usd: fc.constantFrom('0', '0.000000000001', '0.3', '7', '1234567.000000000009'),
  pricing: fc.constantFrom('table', 'assumed', 'unknown'),
});

function requestNear(changes: typeof springChanges): fc.Arbitrary<SimulatedRequest> {
  return fc
    .record({
      entry: edgeCaseEntry({ organizationId: '', logShards, time: timeNearChange(changes) }),
      replacesPlaceholder: fc.option(fc.constantFrom('before', 'during', 'after'), { freq: 1 }),
      priceChanges: fc.array(priceChange, { maxLength: 2 }),
      isQuarantined: fc.array(
        fc.nat(5).map((number) => number === 0),
        { maxLength: 4 },
      ),
    })
    .map((request) => {
      const { outcome } = request.entry;
      // These entries never change.
      const isFinal = outcome === 'rejected' || outcome === 'interrupted';
      return isFinal ? { ...request, replacesPlaceholder: null, priceChanges: [] } : request;
    });
}

function historyNear(changes: typeof springChanges): fc.Arbitrary<History> {
  return fc.record({
    requests: fc.array(requestNear(changes), { minLength: 18, maxLength: 24 }),
    rebuilds: fc.nat(2),
    replaysEarly: fc.boolean(),
    batchSize: fc.integer({ min: 3, max: 20 }),
    deletes: fc.constantFrom('none', 'some', 'all'),
  });
}

it.each([
  ['clocks are set back', autumnChanges, '2025-11-10T12:34:56.789Z'],
  ['clocks are set forward', springChanges, '2026-04-05T12:34:56.789Z'],
  ['entries have expired', [...autumnChanges, ...springChanges], '2026-04-05T12:34:56.789Z'],
] as const)(
  'returns the sums of the entries after placeholders, reprices, rebuilds and replays when %s',
  async (_, changes, time) => {
    const now = new Date(time);
    const queries = fc.array(parametersNearChange(changes, now.getTime()), { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(historyNear(changes), queries, async (history, parameterList) => {
        const { organizationId, ...scenario } = await simulateHistory(history, { tables, now, logShards });
        const dependencies = costDependencies(tables, {
          logShardsOf: async () => logShards,
          now: () => scenario.now,
        });
        for (const parameters of [noParameters, ...parameterList]) {
          const window = expectedWindow(scenario, parameters);
          expect(await getCosts(dependencies, parameters, organizationId)).toEqual(
            expectedCosts(scenario.entries, parameters, window),
          );
        }
      }),
      { numRuns: byTestForm({ short: 1, long: 15 }), endOnFailure: true },
    );
  },
);
