/** Runs an agent on a folder of its own, without access to the internet, home directory or variables of the user. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { listen } from '#test/support/http/listen.ts';

export interface Workspace extends AsyncDisposable {
  directory: string;
  /** The home directory of the agent. */
  home: string;
  /** Hosts that agents have tried to reach through the proxy, which refuses all. */
  foreignHosts: string[];
  run(program: string, args: readonly string[], environment: NodeJS.ProcessEnv): AgentRun;
}

interface AgentRun {
  exited: Promise<{ code: number | null; output: string; errors: string }>;
  interrupt(): void;
}

/** `files` are created in the folder, by their names. */
export async function createWorkspace(files: Readonly<Record<string, string>> = {}): Promise<Workspace> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-agent-'));
  const home = await mkdtemp(join(tmpdir(), 'gateway-agent-home-'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
  const foreignHosts: string[] = [];
  const proxy = createServer((_, response) => response.writeHead(403).end());
  proxy.on('connect', ({ url = '' }, socket) => {
    foreignHosts.push(url);
    socket.on('error', () => {});
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  const { address, stop } = await listen(proxy);
  const proxyVariables = {
    HTTP_PROXY: `http://${address}`,
    HTTPS_PROXY: `http://${address}`,
    NO_PROXY: '127.0.0.1,localhost',
  };
  return {
    directory,
    home,
    foreignHosts,
    run(program, args, environment) {
      const env = { PATH: process.env.PATH, HOME: home, ...proxyVariables, ...environment };
      const child = spawn(program, args, { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
      const exited = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
        ([[code], output, errors]) => ({ code, output, errors }),
      );
      return { exited, interrupt: () => void child.kill('SIGINT') };
    },
    async [Symbol.asyncDispose]() {
      await stop();
      for (const path of [directory, home]) await rm(path, { recursive: true, force: true });
    },
  };
}
