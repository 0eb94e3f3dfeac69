/** A gateway on a hand-written template, called over real sockets. */
import { rmSync } from 'node:fs';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { writeFixtureAssembly } from './fixture-assembly.ts';
import { type FunctionDesk, openFunctionDesk } from './function-desk.ts';

export interface FixtureGateway extends LocalGateway {
  /** Where the probe asks what to do. */
  desk: FunctionDesk<string>;
  assemblyDirectory: string;
  logLines: readonly string[];
}

/** Keeps nothing, and reads no stream. */
export async function startFixtureGateway(): Promise<FixtureGateway> {
  const desk = await openFunctionDesk<string>();
  const assemblyDirectory = writeFixtureAssembly({ testUrl: desk.url, mapping: { Enabled: false } });
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
    await desk.stop();
    rmSync(assemblyDirectory, { recursive: true });
  };
  return { ...gateway, desk, assemblyDirectory, logLines, stop };
}

/** `url` is the REST API's streaming route, or the Function URL. */
export function probe(url: string, behaviour: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { method: 'POST', ...init, headers: { 'x-do': behaviour, ...init.headers } });
}

export async function read<Body>(response: Response): Promise<Body> {
  return (await response.json()) as Body;
}
