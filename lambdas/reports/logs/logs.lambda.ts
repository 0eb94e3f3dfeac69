/** Entry point of the logs function (`GET /api/logs`). */

import { createJsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { createJsonEndpointClients } from '#lambdas/access/json-endpoint-clients.ts';
import { findCountedUntil } from '#lambdas/costs/rollups/progress.ts';
import { findRollupState } from '#lambdas/costs/rollups/state.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { findNewestLogEntry } from '#lambdas/request-log/table/newest-entry.ts';
import { findOldestEntryMs } from '#lambdas/request-log/table/oldest-entry.ts';
import { createCostRollupReader } from '../rollup-reader.ts';
import { createLogsEndpoint } from './endpoints.ts';
import { createLogEntryReader } from './read.ts';

const environment = readEnvironment('LOG_ENTRIES_TABLE', 'DIRECTORY_TABLE', 'COST_ROLLUPS_TABLE');
const { client, directory, authenticate } = createJsonEndpointClients(environment.DIRECTORY_TABLE);
const now = () => new Date();
const logEntries = { client, tableName: environment.LOG_ENTRIES_TABLE, now };
const costRollups = { client, tableName: environment.COST_ROLLUPS_TABLE };

export const handler = createJsonEndpoint(
  authenticate,
  createLogsEndpoint({
    logAccessOf: directory.logAccessOf,
    logEntries: createLogEntryReader(logEntries),
    findRollupState: (organizationId) => findRollupState(costRollups, organizationId),
    rollups: createCostRollupReader(costRollups),
    findNewestEntry: (shard, beforeMs) => findNewestLogEntry(logEntries, shard, beforeMs),
    findCountedUntil: (generation, stored) => findCountedUntil(costRollups, generation, stored),
    findOldestEntryMs: (shard) => findOldestEntryMs(logEntries, shard),
    now,
  }),
);
