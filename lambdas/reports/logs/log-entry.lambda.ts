/** Entry point of the log function (`GET /api/logs/{id}`). */

import { createJsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { createJsonEndpointClients } from '#lambdas/access/json-endpoint-clients.ts';
import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { createCors } from '#lambdas/platform/http/cors.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import { withLogContext } from '#lambdas/platform/telemetry/log.ts';
import type { PriceSettingsByProvider } from '#lambdas/pricing/price-context.ts';
import { createLogEndpoint } from './endpoints.ts';
import type { ExplainCost } from './entry.ts';
import { createLogEntryReader } from './read.ts';

const environment = readEnvironment(
  'LOG_ENTRIES_TABLE',
  'DIRECTORY_TABLE',
  'PRICES_TABLE',
  'PROVIDERS',
  'ALLOWED_ORIGINS',
);
const { client, authenticate } = createJsonEndpointClients(environment.DIRECTORY_TABLE);
const now = () => new Date();

const loadExplainCost = lazy(async (): Promise<ExplainCost> => {
  const { costBreakdownOf } = await import('./cost-breakdown.ts');
  const customPrices = { calls: createSdkTableCalls(client), tableName: environment.PRICES_TABLE, now };
  const settings: PriceSettingsByProvider = JSON.parse(environment.PROVIDERS);
  return (entry) => costBreakdownOf(entry, { customPrices, settings });
});

export const handler = withLogContext(
  createJsonEndpoint(
    authenticate,
    createCors(JSON.parse(environment.ALLOWED_ORIGINS)),
    createLogEndpoint({
      logEntries: createLogEntryReader({ client, tableName: environment.LOG_ENTRIES_TABLE, now }),
      loadExplainCost,
    }),
  ),
);
