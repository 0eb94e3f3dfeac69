/** Entry of the costs function. */
import { readEnvironment } from '../shared/environment.ts';
import { createJsonEndpoint } from '../shared/http/json-endpoint.ts';
import { createReportClients } from '../shared/report-clients.ts';
import { createCostRollupReader } from '../shared/stores/cost-rollup-store.ts';
import { readLogEntries } from '../shared/stores/log-entry-store.ts';
import { createCostsEndpoint } from './costs-endpoint.ts';

const environment = readEnvironment('LOG_ENTRIES_TABLE', 'DIRECTORY_TABLE', 'COST_ROLLUPS_TABLE');
const { client, authenticate } = createReportClients(environment.DIRECTORY_TABLE);

export const handler = createJsonEndpoint(
  authenticate,
  createCostsEndpoint({
    rollups: createCostRollupReader({ client, tableName: environment.COST_ROLLUPS_TABLE }),
    readLogEntries: (range) => readLogEntries({ client, tableName: environment.LOG_ENTRIES_TABLE }, range),
  }),
);
