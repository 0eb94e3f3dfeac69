import { rmSync } from 'node:fs';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { writeAssemblyFixture } from './assembly-fixture.ts';
import { type InvocationQueue, startInvocationQueue } from './invocation-queue.ts';

export interface GatewayFixture extends LocalGateway {
  /** Calls of the probe function to the test. */
  invocations: InvocationQueue<string>;
  assemblyDirectory: string;
  logLines: readonly string[];
}

/** Starts an ephemeral gateway with a disabled event source mapping. */
export async function startGatewayFixture(
  changes: { resources?: Record<string, unknown>; assets?: Record<string, string> } = {},
): Promise<GatewayFixture> {
  const { resources, assets } = changes;
  const invocations = await startInvocationQueue<string>();
  const assemblyDirectory = writeAssemblyFixture(
    { testUrl: invocations.url, mapping: { Enabled: false }, resources },
    assets,
  );
  const logLines: string[] = [];
  const gateway = await startLocalGateway({
    assemblyDirectory,
    ephemeral: true,
    port: 0,
    environment: { PATH: process.env.PATH, GROQ_API_KEY: 'gsk-1', UNRELATED: 'must not reach functions' },
    onLogLine: (line) => logLines.push(line),
  });
  const stop = async () => {
    await gateway.stop();
    await invocations.stop();
    rmSync(assemblyDirectory, { recursive: true });
  };
  return { ...gateway, invocations: invocations, assemblyDirectory, logLines, stop };
}

/** Calls the probe function. `url` is the streaming route of the REST API, or the function URL. */
export function probe(url: string, behaviour: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { method: 'POST', ...init, headers: { 'x-do': behaviour, ...init.headers } });
}

export async function read<Body>(response: Response): Promise<Body> {
  return (await response.json()) as Body;
}
