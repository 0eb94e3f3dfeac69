/** Entry of the log function. */
import { readEnvironment } from '../shared/environment.ts';
import { createJsonEndpoint } from '../shared/http/json-endpoint.ts';
import { createReportClients } from '../shared/report-clients.ts';
import { createLogEntryReader } from '../shared/stores/log-entry-reader.ts';
import { createLogEndpoint } from './log-endpoint.ts';

const { LOG_ENTRIES_TABLE, DIRECTORY_TABLE } = readEnvironment('LOG_ENTRIES_TABLE', 'DIRECTORY_TABLE');
const { client, authenticate } = createReportClients(DIRECTORY_TABLE);
const logEntries = createLogEntryReader({ client, tableName: LOG_ENTRIES_TABLE, now: () => new Date() });

export const handler = createJsonEndpoint(authenticate, createLogEndpoint(logEntries));
