/** Entry of the costs function. */
import { readEnvironment } from '../shared/environment.ts';
import { createJsonEndpoint } from '../shared/http/json-endpoint.ts';
import { createReportClients } from '../shared/report-clients.ts';
import { createCostRollupReader } from '../shared/stores/cost-rollup-reader.ts';
import { readLogEntryPages } from '../shared/stores/log-entry-pages.ts';
import { findRollupState } from '../shared/stores/rollup-state-store.ts';
import { createCostsEndpoint } from './costs-endpoint.ts';

const environment = readEnvironment('LOG_ENTRIES_TABLE', 'DIRECTORY_TABLE', 'COST_ROLLUPS_TABLE');
const { client, directory, authenticate } = createReportClients(environment.DIRECTORY_TABLE);
const now = () => new Date();
const logEntries = { client, tableName: environment.LOG_ENTRIES_TABLE, now };
const costRollups = { client, tableName: environment.COST_ROLLUPS_TABLE };

export const handler = createJsonEndpoint(
  authenticate,
  createCostsEndpoint({
    logShardsOf: directory.logShardsOf,
    findRollupState: (organizationId) => findRollupState(costRollups, organizationId),
    rollups: createCostRollupReader(costRollups),
    readEntries: (range) => readLogEntryPages(logEntries, range),
    now,
  }),
);
