import { Duration } from 'aws-cdk-lib';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { CostRollupsTable } from '../data/cost-rollups-table.ts';
import type { DirectoryTable } from '../data/directory-table.ts';
import type { LogEntriesTable } from '../data/log-entries-table.ts';
import { GatewayFunction, type GatewayFunctionProps } from './gateway-function.ts';

export interface ReportFunctionsProps {
  logRetention: RetentionDays;
  directory: DirectoryTable;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
}

type ReportFunctionProps = Pick<GatewayFunctionProps, 'entry' | 'description' | 'memoryMb'>;

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
    const { directory, logEntries, costRollups, logRetention } = props;
    const createFunction = (name: string, own: ReportFunctionProps) => {
      const fn = new GatewayFunction(this, name, { ...own, timeout: reportTimeout, logRetention });
      directory.grantFindApiKey(fn);
      return fn;
    };

    this.logs = createFunction('Logs', {
      entry: 'request-log/report/logs.lambda.ts',
      description: 'Lists log entries',
      memoryMb: largeMemoryMb,
    });
    logEntries.grantQueryByAnyKey(this.logs);

    this.log = createFunction('Log', {
      entry: 'request-log/report/log.lambda.ts',
      description: 'Returns one log entry',
    });
    logEntries.grantFind(this.log);

    this.costs = createFunction('Costs', {
      entry: 'costs/report/costs.lambda.ts',
      description: 'Sums up costs',
      memoryMb: largeMemoryMb,
    });
    costRollups.grantQuery(this.costs);
    // The rollups answer for whole spans; the rest of a window comes from the entries themselves.
    logEntries.grantQueryByTime(this.costs);
  }
}
