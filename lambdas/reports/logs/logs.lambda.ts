/** Entry point of the logs function (`GET /api/logs`). */

import { createJsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { createJsonEndpointClients } from '#lambdas/access/json-endpoint-clients.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { createLogsEndpoint } from './endpoints.ts';
import { createLogEntryReader } from './read.ts';

const { LOG_ENTRIES_TABLE, DIRECTORY_TABLE } = readEnvironment('LOG_ENTRIES_TABLE', 'DIRECTORY_TABLE');
const { client, directory, authenticate } = createJsonEndpointClients(DIRECTORY_TABLE);
const logEntries = createLogEntryReader({ client, tableName: LOG_ENTRIES_TABLE, now: () => new Date() });

export const handler = createJsonEndpoint(
  authenticate,
  createLogsEndpoint({ logEntries, logAccessOf: directory.logAccessOf }),
);
