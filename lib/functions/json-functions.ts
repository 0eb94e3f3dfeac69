/** The functions that return one JSON response through the REST API, each with its own grants. */

import { Duration } from 'aws-cdk-lib';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { ProviderSecret } from '../data/provider-secret.ts';
import type { CostRollupsTable, DirectoryTable, LogEntriesTable } from '../data/tables.ts';
import type { Settings } from '../settings.ts';
import { GatewayFunction, type GatewayFunctionProps } from './gateway-function.ts';

/** API Gateway waits no longer for a response that it does not stream. */
const responseTimeout = Duration.seconds(29);

export interface ModelsFunctionProps {
  settings: Settings;
  directory: DirectoryTable;
  providerSecret: ProviderSecret;
}

/** Lists the models that callers can use. It reads the secret to see which providers have a credential. */
export class ModelsFunction extends GatewayFunction {
  constructor(scope: Construct, id: string, { settings, directory, providerSecret }: ModelsFunctionProps) {
    super(scope, id, {
      entry: 'inference/models/models.lambda.ts',
      description: 'Lists the models of the configured providers',
      timeout: responseTimeout,
      logRetention: settings.logRetentionDays,
    });
    this.addEnvironment('PROVIDERS', JSON.stringify(settings.providers));
    directory.grantFindApiKey(this);
    providerSecret.grantReadCredentials(this);
  }
}

export interface ReportFunctionsProps {
  logRetention: RetentionDays;
  directory: DirectoryTable;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
}

type ReportFunctionProps = Pick<GatewayFunctionProps, 'entry' | 'description' | 'memoryMb'>;

/** For responses made of tens of thousands of items: the memory brings the processor with it. */
const largeMemoryMb = 1024;

/** The functions that report on recorded requests. */
export class ReportFunctions extends Construct {
  readonly logs: GatewayFunction;
  readonly log: GatewayFunction;
  readonly costs: GatewayFunction;

  constructor(scope: Construct, id: string, props: ReportFunctionsProps) {
    super(scope, id);
    const { directory, logEntries, costRollups, logRetention } = props;
    const createFunction = (name: string, own: ReportFunctionProps) => {
      const fn = new GatewayFunction(this, name, { ...own, timeout: responseTimeout, logRetention });
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
    // The rollups cover whole hours and days; the rest of a window comes from the entries themselves.
    logEntries.grantQueryByTime(this.costs);
  }
}
