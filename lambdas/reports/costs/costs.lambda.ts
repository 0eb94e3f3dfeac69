/** Entry point of the costs function (`GET /api/costs`). */

import { createJsonEndpointClients } from '#lambdas/access/json-endpoint-clients.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import { createReportFunction, reportVariables } from '../report-function.ts';
import { createCostsEndpoint } from './report.ts';

const environment = readEnvironment(...reportVariables);
const clients = createJsonEndpointClients(environment.DIRECTORY_TABLE, () => new Date());

export const handler = createReportFunction(environment, clients, ({ sources, organizations, logEntries }) =>
  createCostsEndpoint({
    ...sources,
    logShardsOf: organizations.logShardsOf,
    readEntries: (range) => readLogEntryPages(logEntries, range),
  }),
);
