import { createJsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { createJsonEndpointClients } from '#lambdas/access/json-endpoint-clients.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { createCors } from '#lambdas/platform/http/cors.ts';
import { withLogContext } from '#lambdas/platform/telemetry/log.ts';
import { readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import { createReportDependencies } from '../dependencies.ts';
import { createCostsEndpoint } from './report.ts';

const environment = readEnvironment(
  'LOG_ENTRIES_TABLE',
  'DIRECTORY_TABLE',
  'COST_ROLLUPS_TABLE',
  'ALLOWED_ORIGINS',
);
const { client, directory, authenticate } = createJsonEndpointClients(environment.DIRECTORY_TABLE);
const now = () => new Date();
const tables = {
  client,
  logEntries: environment.LOG_ENTRIES_TABLE,
  costRollups: environment.COST_ROLLUPS_TABLE,
};
const logEntries = { client, tableName: tables.logEntries, now };

export const handler = withLogContext(
  createJsonEndpoint(
    authenticate,
    createCors(JSON.parse(environment.ALLOWED_ORIGINS)),
    createCostsEndpoint({
      ...createReportDependencies(tables, now),
      logShardsOf: directory.logShardsOf,
      readEntries: (range) => readLogEntryPages(logEntries, range),
    }),
  ),
);
