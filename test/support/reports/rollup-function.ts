import {
  type BatchCounters,
  findBatchCounters,
  type SettlementDependencies,
} from '#lambdas/costs/budgets/batch-counters.ts';
import { removeMarks } from '#lambdas/costs/restored-entries.ts';
import { createRollupHandler, type RollupHandler } from '#lambdas/costs/rollups/handler.ts';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { createQuarantine, type RollupDeadLetterQueue } from '#lambdas/costs/rollups/quarantine.ts';
import { toRollupRecord } from '#lambdas/costs/rollups/row-updates.ts';
import { findRollupState } from '#lambdas/costs/rollups/state.ts';
import { createCostRollupWriter } from '#lambdas/costs/rollups/writer.ts';
import { collectLogLines } from '#test/support/log-lines.ts';

interface RollupFunctionOptions {
  table: CostRollupsTable;
  now(): Date;
  /** By default, a quarantined record is an error. */
  deadLetters?: RollupDeadLetterQueue;
  readRecord?: typeof toRollupRecord;
  /** By default, there are no budgets. */
  settlement?: SettlementDependencies;
}

export const noCounters: BatchCounters = { recountFromMsOf: () => null, settle: async () => {} };

const noDeadLetters: RollupDeadLetterQueue = {
  async send(_, records) {
    if (records.length > 0) throw new Error('A record was quarantined that should have been counted');
  },
};

export function rollupFunction({ table, now, settlement, ...options }: RollupFunctionOptions): RollupHandler {
  return createRollupHandler({
    rollupWriter: createCostRollupWriter(table, now),
    quarantine: createQuarantine(table, now),
    deadLetters: options.deadLetters ?? noDeadLetters,
    readRecord: options.readRecord ?? toRollupRecord,
    findState: (organizationId) => findRollupState(table, organizationId),
    findCounters: async (records, stateOf) =>
      settlement === undefined ? noCounters : findBatchCounters(settlement, records, stateOf),
    removeMarks: (records) => removeMarks(table, records),
    publishMetrics: () => {},
    log: collectLogLines(() => {}),
  });
}
