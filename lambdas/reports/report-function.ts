/** The parts that the functions for costs and for lists of logs share. */
import type { JsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import type { createJsonEndpointClients } from '#lambdas/access/json-endpoint-clients.ts';
import { createReportDependencies } from './dependencies.ts';
import { createJsonFunction } from './json-function.ts';

export const reportVariables = [
  'LOG_ENTRIES_TABLE',
  'DIRECTORY_TABLE',
  'COST_ROLLUPS_TABLE',
  'ALLOWED_ORIGINS',
] as const;

type ReportEnvironment = Record<(typeof reportVariables)[number], string>;
type JsonEndpointClients = ReturnType<typeof createJsonEndpointClients>;

function createDependencies(
  environment: ReportEnvironment,
  { client, organizations }: JsonEndpointClients,
  now: () => Date,
) {
  const logEntries = { client, tableName: environment.LOG_ENTRIES_TABLE, now };
  const costRollups = { client, tableName: environment.COST_ROLLUPS_TABLE };
  return { organizations, logEntries, reports: createReportDependencies({ logEntries, costRollups, now }) };
}

export function createReportFunction(
  environment: ReportEnvironment,
  clients: JsonEndpointClients,
  now: () => Date,
  createEndpoint: (dependencies: ReturnType<typeof createDependencies>) => JsonEndpoint,
) {
  const endpoint = createEndpoint(createDependencies(environment, clients, now));
  return createJsonFunction(environment.ALLOWED_ORIGINS, clients.authenticate, endpoint);
}
