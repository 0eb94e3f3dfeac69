/** Everything that a chat request meets in a benchmark: a provider, AWS services, the gateway in processes, a client. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildChatBundle, chatEnvironment, lambdaFlags } from './chat-bundle.ts';
import { type Client, createClient } from './load.ts';
import { type BenchProcess, startProcess } from './process.ts';

export interface Environment {
  client: Client;
  upstream: BenchProcess;
  aws: BenchProcess;
  /** Chat completions of the upstream itself, without the gateway. */
  directUrl: string;
  /** A process without requests so far. See `chat-host.ts` for the variables. */
  startGateway(options?: { memoryMb?: number; variables?: Record<string, string> }): Promise<BenchProcess>;
  stop(): Promise<void>;
}

const tlsFolder = join(import.meta.dirname, '../../test/support/tls');
const certificate = join(tlsFolder, 'self-signed.cert.pem');

/** `checkEntries`: see `fake-aws.ts`. With `tls`, upstream and AWS services speak it. */
export async function startEnvironment({ checkEntries = false, tls = false } = {}): Promise<Environment> {
  const bundle = buildChatBundle();
  const identity: Record<string, string> = tls
    ? { TLS_KEY: join(tlsFolder, 'self-signed.key.pem'), TLS_CERTIFICATE: certificate }
    : {};
  const upstream = await startProcess('harness/upstream.ts', identity);
  const aws = await startProcess('harness/fake-aws.ts', {
    ...identity,
    CHECK_ENTRIES: checkEntries ? 'yes' : 'no',
  });
  const started = [upstream, aws];
  const client = createClient(readFileSync(certificate));
  const gatewayVariables = {
    CHAT_BUNDLE: bundle.directory,
    ...chatEnvironment({ upstream: upstream.origin, aws: aws.origin }),
    ...(tls && { NODE_EXTRA_CA_CERTS: certificate }),
  };
  return {
    client,
    upstream,
    aws,
    directUrl: `${upstream.origin}/v1/chat/completions`,
    async startGateway({ memoryMb, variables } = {}) {
      const flags = memoryMb === undefined ? [] : lambdaFlags(memoryMb);
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
