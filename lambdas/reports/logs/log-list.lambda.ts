/** Entry point of the function `Logs` (`GET /api/logs`). */

import { createJsonEndpointClients } from '#lambdas/access/json-endpoint-clients.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { findOldestEntryMs } from '#lambdas/request-log/table/extent.ts';
import { createReportFunction, reportVariables } from '../report-function.ts';
import { createLogListEndpoint } from './endpoints.ts';
import { createLogEntryReader } from './read.ts';

const environment = readEnvironment(...reportVariables, 'RESPONSE_ID_INDEX');
const indexesResponseIds = environment.RESPONSE_ID_INDEX === 'true';
const clients = createJsonEndpointClients(environment.DIRECTORY_TABLE, () => new Date());

export const handler = createReportFunction(environment, clients, ({ sources, organizations, logEntries }) =>
  createLogListEndpoint({
    ...sources,
    logAccessOf: organizations.logAccessOf,
    logEntries: createLogEntryReader({ ...logEntries, indexesResponseIds }),
    findOldestEntryMs: (shard) => findOldestEntryMs(logEntries, shard),
  }),
);
