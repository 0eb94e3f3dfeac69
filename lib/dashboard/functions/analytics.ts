import type { Construct } from 'constructs';
import type { AccountsTable } from '#lib/data/accounts-table.ts';
import type { ProviderSecret } from '#lib/data/provider-secret.ts';
import type { CostRollupsTable, DirectoryTable, LogEntriesTable, PricesTable } from '#lib/data/tables.ts';
import { GatewayFunction } from '#lib/functions/gateway-function.ts';
import { largeMemoryMb, responseTimeout } from '#lib/functions/limits.ts';
import type { Settings } from '#lib/settings/settings.ts';

interface AnalyticsFunctionProps {
  settings: Settings;
  accounts: AccountsTable;
  directory: DirectoryTable;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  prices: PricesTable;
  providerSecret: ProviderSecret;
  /** Without a trailing slash. */
  dashboardOrigin: string;
}

/** Shows costs, log entries, models and statements. Changes nothing. */
export class AnalyticsFunction extends GatewayFunction {
  constructor(scope: Construct, id: string, props: AnalyticsFunctionProps) {
    const { settings, dashboardOrigin, logEntries } = props;
    super(scope, id, {
      entry: 'accounts/analytics/analytics.lambda.ts',
      description: 'Shows costs, logs, models and statements in the dashboard',
      timeout: responseTimeout,
      memoryMb: largeMemoryMb,
      settings,
    });
    this.addEnvironment('DASHBOARD_ORIGIN', dashboardOrigin);
    this.addEnvironment('PROVIDERS', JSON.stringify(settings.providers));
    props.accounts.grantFindSession(this);
    props.directory.grantFindKeys(this);
    logEntries.grantFind(this);
    logEntries.grantQueryByAnyKey(this);
    props.costRollups.grantQuery(this);
    props.prices.grantList(this);
    // Tells which providers have a credential.
    props.providerSecret.grantReadCredentials(this);
  }
}
