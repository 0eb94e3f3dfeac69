import {
  type CompletenessDependencies,
  type CompletenessSources,
  createCompletenessDependencies,
} from '#lambdas/costs/completeness.ts';
import { findRollupState, type RollupState } from '#lambdas/costs/rollups/state.ts';
import { type CostRollupReader, createCostRollupReader } from './rollup-reader.ts';

/** The sources that costs and lists of logs both read. */
export interface ReportDependencies extends CompletenessDependencies {
  findRollupState(organizationId: string): Promise<RollupState>;
  rollupReader: CostRollupReader;
}

export function createReportDependencies(sources: CompletenessSources): ReportDependencies {
  const { costRollups } = sources;
  return {
    findRollupState: (organizationId) => findRollupState(costRollups, organizationId),
    rollupReader: createCostRollupReader(costRollups),
    ...createCompletenessDependencies(sources),
  };
}
