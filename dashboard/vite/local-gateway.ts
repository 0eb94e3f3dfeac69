import { join, resolve } from 'node:path';
import { readConnectionFile } from '#local/connection-file.ts';
import { LocalGatewayError } from '#local/local-gateway-error.ts';

const projectDirectory = resolve(import.meta.dirname, '../..');
const remedy = 'Start it with "npm start" in another terminal, then run "npm run dashboard" again.';

/**
 * Returns the origin of the dashboard that the local gateway serves.
 *
 * @throws LocalGatewayError if no gateway is running, or one without a dashboard
 */
export async function localDashboardOrigin(environment: NodeJS.ProcessEnv): Promise<string> {
  const dataDirectory = environment.GATEWAY_DATA_DIRECTORY ?? join(projectDirectory, '.gateway');
  const { dashboard_url: dashboardUrl, pid } = readConnectionFile(dataDirectory);
  if (pid === undefined)
    throw new LocalGatewayError(`No local gateway is running on ${dataDirectory}. ${remedy}`);
  if (!dashboardUrl)
    throw new LocalGatewayError('The local gateway has no dashboard: the setting "dashboard" is false.');
  // The file remains when the gateway is killed.
  await fetch(dashboardUrl).catch(() => {
    throw new LocalGatewayError(`The local gateway does not respond at ${dashboardUrl}. ${remedy}`);
  });
  return new URL(dashboardUrl).origin;
}
