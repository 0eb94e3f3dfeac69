/** Entry point of the logs function (`GET /api/logs`). */

import { createJsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { createJsonEndpointClients } from '#lambdas/access/json-endpoint-clients.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { createCors } from '#lambdas/platform/http/cors.ts';
import { withLogContext } from '#lambdas/platform/telemetry/log.ts';
import { findOldestEntryMs } from '#lambdas/request-log/table/extent.ts';
import { createReportDependencies } from '../dependencies.ts';
import { createLogsEndpoint } from './endpoints.ts';
import { createLogEntryReader } from './read.ts';

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
    createLogsEndpoint({
      ...createReportDependencies(tables, now),
      logAccessOf: directory.logAccessOf,
      logEntries: createLogEntryReader(logEntries),
      findOldestEntryMs: (shard) => findOldestEntryMs(logEntries, shard),
    }),
  ),
);
