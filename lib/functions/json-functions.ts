import { Construct } from 'constructs';
import type { ProviderSecret } from '../data/provider-secret.ts';
import type { CostRollupsTable, DirectoryTable, LogEntriesTable, PricesTable } from '../data/tables.ts';
import type { Settings } from '../settings/settings.ts';
import { GatewayFunction, type GatewayFunctionProps } from './gateway-function.ts';
import { largeMemoryMb, responseTimeout } from './limits.ts';

interface ModelsFunctionProps {
  settings: Settings;
  directory: DirectoryTable;
  providerSecret: ProviderSecret;
}

/** Reads the secret to list only the models of providers that have a credential. */
export class ModelsFunction extends GatewayFunction {
  constructor(scope: Construct, id: string, { settings, directory, providerSecret }: ModelsFunctionProps) {
    super(scope, id, {
      entry: 'inference/models/models.lambda.ts',
      description: 'Lists the models of the configured providers',
      timeout: responseTimeout,
      settings,
    });
    this.addEnvironment('PROVIDERS', JSON.stringify(settings.providers));
    this.addEnvironment('ALLOWED_ORIGINS', JSON.stringify(settings.allowedOrigins));
    directory.grantFind(this);
    providerSecret.grantReadCredentials(this);
  }
}

interface ReportFunctionsProps {
  settings: Settings;
  directory: DirectoryTable;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  prices: PricesTable;
}

type ReportFunctionProps = Pick<GatewayFunctionProps, 'entry' | 'description' | 'memoryMb'>;

export class ReportFunctions extends Construct {
  readonly logs: GatewayFunction;
  readonly log: GatewayFunction;
  readonly costs: GatewayFunction;

  constructor(scope: Construct, id: string, props: ReportFunctionsProps) {
    super(scope, id);
    const { settings, directory, logEntries, costRollups, prices } = props;
    const createFunction = (name: string, functionProps: ReportFunctionProps) => {
      const fn = new GatewayFunction(this, name, {
        ...functionProps,
        timeout: responseTimeout,
        settings,
      });
      fn.addEnvironment('ALLOWED_ORIGINS', JSON.stringify(settings.allowedOrigins));
      directory.grantFind(fn);
      return fn;
    };

    this.logs = createFunction('Logs', {
      entry: 'reports/logs/log-list.lambda.ts',
      description: 'Lists log entries',
      memoryMb: largeMemoryMb,
    });
    logEntries.grantQueryByAnyKey(this.logs);
    // Rollups tell which hours have entries that match a filter without an index.
    costRollups.grantQuery(this.logs);

    this.log = createFunction('Log', {
      entry: 'reports/logs/log-entry.lambda.ts',
      description: 'Returns one log entry, and explains its cost',
    });
    this.log.addEnvironment('PROVIDERS', JSON.stringify(settings.providers));
    logEntries.grantFind(this.log);
    prices.grantFind(this.log);

    this.costs = createFunction('Costs', {
      entry: 'reports/costs/costs.lambda.ts',
      description: 'Returns the costs of requests',
      memoryMb: largeMemoryMb,
    });
    costRollups.grantQuery(this.costs);
    // Rollups cover complete periods. The costs at the edges of a time window come from log entries.
    logEntries.grantQueryByTime(this.costs);
  }
}
