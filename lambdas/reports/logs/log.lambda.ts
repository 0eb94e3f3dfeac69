/** Entry point of the log function (`GET /api/logs/{id}`). */

import { createJsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { createJsonEndpointClients } from '#lambdas/access/json-endpoint-clients.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { createLogEndpoint } from './endpoints.ts';
import { createLogEntryReader } from './read.ts';

const { LOG_ENTRIES_TABLE, DIRECTORY_TABLE } = readEnvironment('LOG_ENTRIES_TABLE', 'DIRECTORY_TABLE');
const { client, authenticate } = createJsonEndpointClients(DIRECTORY_TABLE);
const logEntries = createLogEntryReader({ client, tableName: LOG_ENTRIES_TABLE, now: () => new Date() });

export const handler = createJsonEndpoint(authenticate, createLogEndpoint(logEntries));
