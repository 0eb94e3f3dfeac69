/** What callers get while the gateway's own services do not answer, and that no provider is called for it. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAuthenticate } from '../../../lambdas/shared/http/authenticate.ts';
import { createDirectoryStore } from '../../../lambdas/shared/stores/directory-store.ts';
import { createDocumentClient } from '../../../lambdas/shared/stores/document-client.ts';
import { createSdkLogEntryWriter } from '../../../lambdas/shared/stores/log-entries-table.ts';
import { createProviderSecret } from '../../../lambdas/shared/stores/provider-secret.ts';
import { awayClient } from '../../support/away-client.ts';
import { type ChatBench, startChatBench } from '../../support/chat-bench.ts';

const request = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Say hello' }] };
const now = () => new Date();

let bench: ChatBench;
beforeAll(async () => {
  bench = await startChatBench();
});
afterAll(() => bench.stop());
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

const unavailable = {
  error: {
    message: 'The gateway cannot reach its own data at the moment: send the request again',
    type: 'api_error',
    param: null,
    code: 'service_unavailable',
  },
};

describe('While DynamoDB is away', () => {
  it('a key that has to be looked up is answered with 503, and no provider is called', async () => {
    const client = createDocumentClient(await awayClient());
    const directory = createDirectoryStore({ client, tableName: 'Directory' });
    const { upstream, gateway } = await bench.setUp({
      services: { authenticate: createAuthenticate({ directory, now }) },
    });

    const reply = await gateway.post(request);

    expect([reply.status, JSON.parse(reply.text)]).toEqual([503, unavailable]);
    expect(reply.headers['retry-after']).toBe('1');
    expect(upstream.requests).toEqual([]);
    expect([gateway.lines, gateway.lostEntries, await gateway.entries()]).toEqual([[], [], []]);
  });

  it('a key that is known goes on to work, and its entries to the queue', async () => {
    const client = createDocumentClient(await awayClient());
    const { gateway } = await bench.setUp({
      services: { logEntries: createSdkLogEntryWriter({ client, tableName: 'LogEntries', now }, 90) },
    });

    expect((await gateway.post({ ...request, stream: true })).status).toBe(200);
    expect(gateway.lostEntries).toEqual([
      expect.objectContaining({ outcome: 'completed', total_tokens: 24 }),
    ]);
    expect(gateway.lines.map(({ event }) => event)).toEqual(['request_forwarded']);
  });
});

describe('While Secrets Manager is away', () => {
  async function readAwaySecret() {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    await once(server.close(), 'close');
    const client = new SecretsManagerClient({
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      maxAttempts: 1,
    });
    return createProviderSecret({ client, secretId: 'secret' }).read();
  }

  it('a request is answered with 503 and logged, and no provider is called', async () => {
    const { upstream, gateway } = await bench.setUp({ credentials: readAwaySecret });

    const reply = await gateway.post(request);

    expect([reply.status, JSON.parse(reply.text)]).toEqual([503, unavailable]);
    expect(upstream.requests).toEqual([]);
    expect(await gateway.entries()).toEqual([
      expect.objectContaining({ status: 503, outcome: 'rejected', error_code: 'service_unavailable' }),
    ]);
  });

  it('the credentials that were read before go on being used, also when a provider refuses one', async () => {
    let reads = 0;
    const { upstream, gateway } = await bench.setUp({
      credentials: () => (reads++ === 0 ? { openai: { api_key: 'sk-old' } } : readAwaySecret()),
    });

    const reply = await gateway.post(request);

    expect([reply.status, JSON.parse(reply.text).error.code]).toEqual([
      502,
      'provider_authentication_failed',
    ]);
    expect(upstream.requests).toHaveLength(1);
    expect(reads).toBe(2);
  });
});
