/** Entry point of the function `Log` (`GET /api/logs/{id}`). */

import { createJsonEndpointClients } from '#lambdas/access/json-endpoint-clients.ts';
import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import type { PriceSettingsByProvider } from '#lambdas/pricing/price-context.ts';
import { createJsonFunction } from '../report-function.ts';
import { createLogEntryEndpoint } from './endpoints.ts';
import type { CostExplainer } from './entry.ts';
import { createLogEntryReader } from './read.ts';

const environment = readEnvironment(
  'LOG_ENTRIES_TABLE',
  'DIRECTORY_TABLE',
  'PRICES_TABLE',
  'PROVIDERS',
  'ALLOWED_ORIGINS',
);
const now = () => new Date();
const clients = createJsonEndpointClients(environment.DIRECTORY_TABLE, now);
const { client } = clients;

const loadCostExplainer = lazy(async (): Promise<CostExplainer> => {
  const { costBreakdownOf } = await import('./cost-breakdown.ts');
  const customPrices = { calls: createSdkTableCalls(client), tableName: environment.PRICES_TABLE, now };
  const settings: PriceSettingsByProvider = JSON.parse(environment.PROVIDERS);
  return (entry) => costBreakdownOf(entry, { customPrices, settings });
});

export const handler = createJsonFunction(
  environment.ALLOWED_ORIGINS,
  clients,
  createLogEntryEndpoint({
    logEntries: createLogEntryReader({ client, tableName: environment.LOG_ENTRIES_TABLE, now }),
    loadCostExplainer,
  }),
);
