/** The parts that the functions for costs and logs share. */
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
  { client, organizations, now }: JsonEndpointClients,
) {
  const logEntries = { client, tableName: environment.LOG_ENTRIES_TABLE, now };
  const costRollups = { client, tableName: environment.COST_ROLLUPS_TABLE };
  return { organizations, logEntries, sources: createReportDependencies({ logEntries, costRollups, now }) };
}

export function createReportFunction(
  environment: ReportEnvironment,
  clients: JsonEndpointClients,
  createEndpoint: (dependencies: ReturnType<typeof createDependencies>) => JsonEndpoint,
) {
  const endpoint = createEndpoint(createDependencies(environment, clients));
  return createJsonFunction(environment.ALLOWED_ORIGINS, clients, endpoint);
}

/** Returns the handler of a function. `allowedOrigins` is the JSON of its environment variable. */
export function createJsonFunction(
  allowedOrigins: string,
  { authenticate, now }: Pick<JsonEndpointClients, 'authenticate' | 'now'>,
  endpoint: JsonEndpoint,
) {
  const cors = createCors(JSON.parse(allowedOrigins));
  return withLogContext(createJsonEndpoint({ authenticate, cors, now }, endpoint));
}
