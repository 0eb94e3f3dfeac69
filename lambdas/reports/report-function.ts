/** The parts that the functions for costs and for lists of logs share. */
import { createJsonEndpoint, type JsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import type { createJsonEndpointClients } from '#lambdas/access/json-endpoint-clients.ts';
import { createCors } from '#lambdas/platform/http/cors.ts';
import { withLogContext } from '#lambdas/platform/telemetry/log.ts';
import { createReportDependencies } from './dependencies.ts';

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
  { client, directory }: JsonEndpointClients,
  now: () => Date,
) {
  const tables = {
    client,
    logEntries: environment.LOG_ENTRIES_TABLE,
    costRollups: environment.COST_ROLLUPS_TABLE,
  };
  return {
    directory,
    logEntries: { client, tableName: tables.logEntries, now },
    reports: createReportDependencies(tables, now),
  };
}

export function createReportFunction(
  environment: ReportEnvironment,
  clients: JsonEndpointClients,
  now: () => Date,
  createEndpoint: (dependencies: ReturnType<typeof createDependencies>) => JsonEndpoint,
) {
  const endpoint = createEndpoint(createDependencies(environment, clients, now));
  const cors = createCors(JSON.parse(environment.ALLOWED_ORIGINS));
  return withLogContext(createJsonEndpoint(clients.authenticate, cors, endpoint));
}
