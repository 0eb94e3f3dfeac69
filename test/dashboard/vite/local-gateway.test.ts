import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { localDashboardOrigin } from '#dashboard/vite/local-gateway.ts';

function dataDirectory(connection: object): NodeJS.ProcessEnv {
  const directory = mkdtempSync(join(tmpdir(), 'dashboard-'));
  writeFileSync(join(directory, 'local.json'), JSON.stringify(connection));
  return { GATEWAY_DATA_DIRECTORY: directory };
}

async function startServer(): Promise<string> {
  const server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';
}

describe('localDashboardOrigin', () => {
  it('returns the origin of the running gateway', async () => {
    const url = await startServer();
    await expect(localDashboardOrigin(dataDirectory({ dashboard_url: url, pid: 1 }))).resolves.toBe(url);
  });

  it('says how to start a gateway that has stopped', async () => {
    const url = await startServer();
    await expect(localDashboardOrigin(dataDirectory({ dashboard_url: url }))).rejects.toThrow(
      /^No local gateway is running on .*\. Start it with "npm start"/,
    );
  });

  it('says how to start a gateway that does not respond', async () => {
    // Port 1 is reserved and has no listener.
    const environment = dataDirectory({ dashboard_url: 'http://127.0.0.1:1', pid: 1 });
    await expect(localDashboardOrigin(environment)).rejects.toThrow(
      /^The local gateway does not respond at .*npm start/,
    );
  });

  it('names the setting of a gateway without a dashboard', async () => {
    await expect(localDashboardOrigin(dataDirectory({ dashboard_url: null, pid: 1 }))).rejects.toThrow(
      'The local gateway has no dashboard: the setting "dashboard" is false.',
    );
  });
});
