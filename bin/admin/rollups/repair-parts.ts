/** What checking and rebuilding rollups works with. */
import type { Directory } from '../../../lambdas/shared/domain/directory.ts';
import type { CostRollupsTable } from '../../../lambdas/shared/stores/cost-rollup-item.ts';
import type { LogEntriesTable } from '../../../lambdas/shared/stores/log-entries-table.ts';
import type { LongJob } from '../long-job.ts';

export interface RepairParts {
  directory: Pick<Directory, 'logShardsOf'>;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  /** By the clock of the tables, which is measured anew with every answer. */
  now(): Date;
  job: Pick<LongJob, 'signal' | 'report' | 'wait'>;
}
