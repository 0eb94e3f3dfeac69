import { Duration } from 'aws-cdk-lib';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { CostRollupsTable } from './cost-rollups-table.ts';
import type { DirectoryTable } from './directory-table.ts';
import { GatewayFunction } from './gateway-function.ts';
import type { LogEntriesTable } from './log-entries-table.ts';

export interface ReportFunctionsProps {
  logRetention: RetentionDays;
  directory: DirectoryTable;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
}

/** As long as API Gateway waits for a whole answer. */
const reportTimeout = Duration.seconds(29);

/** The functions that answer from what was recorded, each with its own grants. */
export class ReportFunctions extends Construct {
  readonly logs: GatewayFunction;
  readonly log: GatewayFunction;
  readonly costs: GatewayFunction;

  constructor(scope: Construct, id: string, props: ReportFunctionsProps) {
    super(scope, id);
    const { directory, logEntries, costRollups } = props;
    const defaults = { timeout: reportTimeout, logRetention: props.logRetention };

    this.logs = new GatewayFunction(this, 'Logs', {
      ...defaults,
      folder: 'logs',
      description: 'Lists log entries',
    });
    directory.grantFindApiKey(this.logs);
    logEntries.grantQueryByAnyKey(this.logs);

    this.log = new GatewayFunction(this, 'Log', {
      ...defaults,
      folder: 'log',
      description: 'Returns one log entry',
    });
    directory.grantFindApiKey(this.log);
    logEntries.grantFind(this.log);

    this.costs = new GatewayFunction(this, 'Costs', {
      ...defaults,
      folder: 'costs',
      description: 'Sums costs by model',
    });
    directory.grantFindApiKey(this.costs);
    costRollups.grantQuery(this.costs);
    // The rollups answer for whole spans; the rest of a window comes from the entries themselves.
    logEntries.grantQueryByTime(this.costs);
  }
}
