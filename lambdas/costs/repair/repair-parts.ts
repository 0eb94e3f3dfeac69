/** What checking and rebuilding rollups works with. */

import type { Directory } from '#lambdas/access/directory.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/sdk-writer.ts';
import type { CostRollupsTable } from '../rollups/item.ts';

export interface RepairParts {
  directory: Pick<Directory, 'logShardsOf'>;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  /** By the clock of the tables, which is measured anew with every answer. */
  now(): Date;
  job: Pick<LongJob, 'signal' | 'report' | 'wait'>;
}
