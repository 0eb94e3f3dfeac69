/** Entry point of the function behind the dashboard's costs, logs, models and billing. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDirectoryReader } from '#lambdas/access/directory-store.ts';
import { createCredentialSource } from '#lambdas/inference/providers/credentials.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { sdkTimeLimits } from '#lambdas/platform/aws/sdk-time-limits.ts';
import { createDocumentClient, createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { logUnexpected } from '#lambdas/platform/http/error-response.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import { withLogContext } from '#lambdas/platform/telemetry/log.ts';
import { createReportDependencies } from '#lambdas/reports/dependencies.ts';
import type { CostExplainer } from '#lambdas/reports/logs/entry.ts';
import { createLogEntryReader } from '#lambdas/reports/logs/read.ts';
import { findOldestEntryMs } from '#lambdas/request-log/table/extent.ts';
import { readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import { createAnalyticsHandler } from './handler.ts';

const environment = readEnvironment(
  'ACCOUNTS_TABLE',
  'DIRECTORY_TABLE',
  'LOG_ENTRIES_TABLE',
  'RESPONSE_ID_INDEX',
  'COST_ROLLUPS_TABLE',
  'PRICES_TABLE',
  'PROVIDERS',
  'PROVIDER_SECRET_ARN',
  'AWS_REGION',
  'DASHBOARD_ORIGIN',
);
const client = createDocumentClient(new DynamoDBClient(sdkTimeLimits));
const now = () => new Date();
const accounts = { client, tableName: environment.ACCOUNTS_TABLE };
const directoryTable = { client, tableName: environment.DIRECTORY_TABLE };
const directory = createDirectoryReader(directoryTable);
const prices = { client, tableName: environment.PRICES_TABLE };
const providerSettings: ProviderSettingsByName = JSON.parse(environment.PROVIDERS);
const logEntries = { client, tableName: environment.LOG_ENTRIES_TABLE, now };
const costRollups = { client, tableName: environment.COST_ROLLUPS_TABLE };

const loadCostExplainer = lazy(async (): Promise<CostExplainer> => {
  const { costBreakdownOf } = await import('#lambdas/reports/logs/cost-breakdown.ts');
  const customPrices = { ...prices, calls: createSdkTableCalls(client), now };
  return (entry) => costBreakdownOf(entry, { customPrices, settings: providerSettings });
});

const loadProviderSecret = lazy(async () => {
  const { SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const { createProviderSecret } = await import('#lambdas/inference/providers/credential-store.ts');
  const secretsManager = new SecretsManagerClient(sdkTimeLimits);
  return createProviderSecret({ client: secretsManager, secretId: environment.PROVIDER_SECRET_ARN });
});

export const handler = withLogContext(
  createAnalyticsHandler({
    dashboardOrigin: environment.DASHBOARD_ORIGIN,
    accounts,
    directory,
    directoryTable,
    reports: {
      ...createReportDependencies({ logEntries, costRollups, now }),
      logShardsOf: directory.logShardsOf,
      logAccessOf: directory.logAccessOf,
      logEntries: createLogEntryReader({
        ...logEntries,
        indexesResponseIds: environment.RESPONSE_ID_INDEX === 'true',
      }),
      readEntries: (range) => readLogEntryPages(logEntries, range),
      findOldestEntryMs: (shard) => findOldestEntryMs(logEntries, shard),
      loadCostExplainer,
    },
    providers: {
      settings: providerSettings,
      credentials: createCredentialSource({
        read: async () => (await loadProviderSecret()).read(),
        now,
        onFailure: logUnexpected,
      }),
      region: environment.AWS_REGION,
      customPrices: prices,
    },
    now,
  }),
);
