/** Entry of the logs function. */
import { readEnvironment } from '../shared/environment.ts';
import { createJsonEndpoint } from '../shared/http/json-endpoint.ts';
import { createReportClients } from '../shared/report-clients.ts';
import { createLogEntryReader } from '../shared/stores/log-entry-reader.ts';
import { createLogsEndpoint } from './logs-endpoint.ts';

const { LOG_ENTRIES_TABLE, DIRECTORY_TABLE } = readEnvironment('LOG_ENTRIES_TABLE', 'DIRECTORY_TABLE');
const { client, directory, authenticate } = createReportClients(DIRECTORY_TABLE);
const logEntries = createLogEntryReader({ client, tableName: LOG_ENTRIES_TABLE, now: () => new Date() });

export const handler = createJsonEndpoint(
  authenticate,
  createLogsEndpoint({ logEntries, logAccessOf: directory.logAccessOf }),
);
