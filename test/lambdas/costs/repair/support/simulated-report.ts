import { dimensions, writeShardCount } from '#lambdas/costs/rollups/rollup.ts';
import { findRollupState, type RollupState } from '#lambdas/costs/rollups/state.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { createCostRollupReader } from '#lambdas/reports/rollup-reader.ts';
import { type InterruptibleRun, startRun } from '#test/lambdas/costs/rollups/support/interruptible-run.ts';
import { type RepairFixture, withSmallPages } from './repair-fixture.ts';

export interface ReportResult {
  state: RollupState;
  requests: number;
}

export interface SimulatedReport {
  run: InterruptibleRun<ReportResult>;
  startedMs: number;
}

/** Reads the state, and then counts the requests in the daily totals, one DynamoDB call at a time. */
export async function startReport(fixture: RepairFixture): Promise<SimulatedReport> {
  const run = await startRun(fixture.client, async (client): Promise<ReportResult> => {
    const table = { client: withSmallPages(client, 3), tableName: fixture.tables.costRollups };
    const { organizationId, logShards } = fixture;
    const state = await findRollupState(table, organizationId);
    const writeShards = writeShardCount(dimensions[0], logShards);
    const range = {
      organizationId,
      generation: state.generation,
      dimension: dimensions[0],
      writeShards,
      window: allTime,
    };
    let requests = 0;
    for await (const { totals } of createCostRollupReader(table).read({ ...range, period: 'day' }))
      requests += totals.requests;
    return { state, requests };
  });
  return { run, startedMs: fixture.nowMs };
}
