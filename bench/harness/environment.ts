/** Sets up a benchmark's environment: a client, and one process each for gateway, provider and AWS services. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildChatBundle, chatEnvironmentVariables, lambdaNodeFlags } from './chat-bundle.ts';
import { type Client, createClient } from './load.ts';
import { type BenchProcess, startProcess } from './process.ts';

export interface Environment {
  client: Client;
  upstream: BenchProcess;
  aws: BenchProcess;
  /** The upstream's chat completions endpoint, called without the gateway. */
  directUrl: string;
  /** Starts a new gateway process. See `chat-host.ts` for the variables. */
  startGateway(options?: { memoryMb?: number; variables?: Record<string, string> }): Promise<BenchProcess>;
  stop(): Promise<void>;
}

const tlsFolder = join(import.meta.dirname, '../../test/support/tls');
const certificate = join(tlsFolder, 'self-signed.cert.pem');

/** See `fake-aws.ts` for `checkEntries`. With `tls`, upstream and AWS services use `https:`. */
export async function startEnvironment({ checkEntries = false, tls = false } = {}): Promise<Environment> {
  const bundle = buildChatBundle();
  const tlsVariables: Record<string, string> = tls
    ? { TLS_KEY: join(tlsFolder, 'self-signed.key.pem'), TLS_CERTIFICATE: certificate }
    : {};
  const upstream = await startProcess('harness/upstream.ts', tlsVariables);
  const aws = await startProcess('harness/fake-aws.ts', {
    ...tlsVariables,
    CHECK_ENTRIES: checkEntries ? 'yes' : 'no',
  });
  const started = [upstream, aws];
  const client = createClient(readFileSync(certificate));
  const gatewayVariables = {
    CHAT_BUNDLE: bundle.directory,
    ...chatEnvironmentVariables({ upstream: upstream.origin, aws: aws.origin }),
    ...(tls && { NODE_EXTRA_CA_CERTS: certificate }),
  };
  return {
    client,
    upstream,
    aws,
    directUrl: `${upstream.origin}/v1/chat/completions`,
    async startGateway({ memoryMb, variables } = {}) {
      const flags = memoryMb === undefined ? [] : lambdaNodeFlags(memoryMb);
      const gateway = await startProcess(
        'harness/chat-host.ts',
        { ...gatewayVariables, ...variables },
        flags,
      );
      started.push(gateway);
      return gateway;
    },
    async stop() {
      client.close();
      await Promise.all(started.map((process) => process.stop()));
      bundle.remove();
    },
  };
}
