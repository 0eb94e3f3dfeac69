/** A reader of reports: the state first, then the rows, each call in its own time. */

import { createCostRollupReader } from '#lambdas/costs/report/rollup-reader.ts';
import { dimensions, writeShardCount } from '#lambdas/costs/rollups/rollup.ts';
import { findRollupState, type RollupState } from '#lambdas/costs/rollups/state.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { type InterruptedRun, startRun } from '../rollups/interrupted-run.ts';
import { type World, withSmallPages } from './rebuild-world.ts';

export interface ReadSum {
  state: RollupState;
  requests: number;
}

export interface Reading {
  run: InterruptedRun<ReadSum>;
  beganMs: number;
}

/** All requests that the days of the totals know of. */
export async function beginReading(world: World): Promise<Reading> {
  const run = await startRun(world.client, async (client): Promise<ReadSum> => {
    const table = { client: withSmallPages(client, 3), tableName: world.tables.costRollups };
    const { organizationId, logShards } = world;
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
  return { run, beganMs: world.nowMs };
}
