/** All that an environment of the chat function talks to, over TLS, and the caller. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchProcess, startBenchProcess } from '../shared/bench-process.ts';
import { buildProgram } from '../shared/built-program.ts';
import { buildChatBundle, chatEnvironment } from '../shared/chat-bundle.ts';
import { type ChatClient, createChatClient } from '../shared/chat-client.ts';
import { type CpuQuota, findCpuQuota } from './cpu-quota.ts';

export interface World {
  client: ChatClient;
  quota: CpuQuota;
  /** Of the provider, for a caller who does without the gateway. */
  directUrl: string;
  /** For `startBenchProcess`. */
  hostProgram: string;
  hostEnvironment: Record<string, string>;
  /** When answers of so many tokens came from the provider, in milliseconds since 1970: the latest of each number. */
  overAtMs(): Promise<Record<string, number>>;
  stop(): Promise<void>;
}

const tlsFolder = join(import.meta.dirname, '../../test/support/tls');
const certificate = join(tlsFolder, 'self-signed.cert.pem');

export async function startWorld(): Promise<World> {
  const bundle = buildChatBundle();
  const directory = mkdtempSync(join(tmpdir(), 'bench-memory-'));
  const servers = await Promise.all(
    ['shared/upstream.ts', 'shared/fake-aws.ts'].map((program) => startBenchProcess(program)),
  );
  const fronts = await Promise.all(servers.map(startTlsFront));
  const [upstream = '', aws = ''] = fronts.map(({ origin }) => origin.replace('http:', 'https:'));
  const client = createChatClient(readFileSync(certificate));
  return {
    client,
    quota: findCpuQuota(),
    directUrl: `${upstream}/v1/chat/completions`,
    hostProgram: buildProgram('memory/environment-host.ts', directory),
    hostEnvironment: {
      CHAT_BUNDLE: bundle.directory,
      NODE_EXTRA_CA_CERTS: certificate,
      ...chatEnvironment({ upstream, aws }),
    },
    overAtMs: async () => (await fronts[0]?.usage())?.counts ?? {},
    async stop() {
      client.close();
      await Promise.all([...fronts, ...servers].map((process) => process.stop()));
      bundle.remove();
      rmSync(directory, { recursive: true });
    },
  };
}

function startTlsFront({ origin }: BenchProcess): Promise<BenchProcess> {
  return startBenchProcess('memory/tls-front.ts', {
    TARGET: origin,
    KEY: join(tlsFolder, 'self-signed.key.pem'),
    CERTIFICATE: certificate,
  });
}
