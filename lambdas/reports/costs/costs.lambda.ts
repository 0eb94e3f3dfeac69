import { createJsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { createJsonEndpointClients } from '#lambdas/access/json-endpoint-clients.ts';
import { findCountedUntil } from '#lambdas/costs/rollups/progress.ts';
import { findRollupState } from '#lambdas/costs/rollups/state.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { findNewestLogEntry } from '#lambdas/request-log/table/newest-entry.ts';
import { readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import { createCostRollupReader } from '../rollup-reader.ts';
import { createCostsEndpoint } from './endpoint.ts';

const environment = readEnvironment('LOG_ENTRIES_TABLE', 'DIRECTORY_TABLE', 'COST_ROLLUPS_TABLE');
const { client, directory, authenticate } = createJsonEndpointClients(environment.DIRECTORY_TABLE);
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
    findNewestEntry: (shard, beforeMs) => findNewestLogEntry(logEntries, shard, beforeMs),
    findCountedUntil: (generation, stored) => findCountedUntil(costRollups, generation, stored),
    now,
  }),
);
