import { Duration } from 'aws-cdk-lib';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { CostRollupsTable } from '../data/cost-rollups-table.ts';
import type { DirectoryTable } from '../data/directory-table.ts';
import type { LogEntriesTable } from '../data/log-entries-table.ts';
import { GatewayFunction } from './gateway-function.ts';

export interface ReportFunctionsProps {
  logRetention: RetentionDays;
  directory: DirectoryTable;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
}

/** Answers that go through tens of thousands of items: the memory is for the processor that comes with it. */
const largeMemoryMb = 1024;

/** As long as API Gateway waits for a whole answer. */
const reportTimeout = Duration.seconds(29);

/** The functions that answer from what was recorded, each with its own grants. */
export class ReportFunctions extends Construct {
  readonly logs: GatewayFunction;
  readonly log: GatewayFunction;
  readonly costs: GatewayFunction;

  constructor(scope: Construct, id: string, props: ReportFunctionsProps) {
    super(scope, id);
    const { logEntries, costRollups } = props;

    this.logs = this.createFunction('Logs', 'Lists log entries', { ...props, memoryMb: largeMemoryMb });
    logEntries.grantQueryByAnyKey(this.logs);

    this.log = this.createFunction('Log', 'Returns one log entry', props);
    logEntries.grantFind(this.log);

    this.costs = this.createFunction('Costs', 'Sums up costs', { ...props, memoryMb: largeMemoryMb });
    costRollups.grantQuery(this.costs);
    // The rollups answer for whole spans; the rest of a window comes from the entries themselves.
    logEntries.grantQueryByTime(this.costs);
  }

  /** Its folder has the same name in lower case. */
  private createFunction(
    id: string,
    description: string,
    { directory, logRetention, memoryMb }: ReportFunctionsProps & { memoryMb?: number },
  ): GatewayFunction {
    const fn = new GatewayFunction(this, id, {
      folder: id.toLowerCase(),
      description,
      timeout: reportTimeout,
      memoryMb,
      logRetention,
    });
    directory.grantFindApiKey(fn);
    return fn;
  }
}
