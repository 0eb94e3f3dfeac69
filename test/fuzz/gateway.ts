/** The deployed chat handler with in-memory storage, fast enough for a hundred thousand requests. */
import { Writable } from 'node:stream';
import { generateApiKey, hashApiKey } from '#lambdas/access/api-key.ts';
import { createAuthenticate } from '#lambdas/access/authenticate.ts';
import { createEndpoints } from '#lambdas/inference/endpoints.ts';
import { chatLimits, defaultChatLimits } from '#lambdas/inference/exchange/limits.ts';
import { createInferenceHandler, type InferenceDependencies } from '#lambdas/inference/handler.ts';
import { operations } from '#lambdas/inference/operations.ts';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import {
  createCredentialSource,
  type ProviderCredentials,
} from '#lambdas/inference/providers/credentials.ts';
import type { HttpTransport, OutgoingRequest } from '#lambdas/inference/providers/http/client.ts';
import { createProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import { createCors } from '#lambdas/platform/http/cors.ts';
import { type HttpEvent, readHttpRequest } from '#lambdas/platform/http/lambda-event.ts';
import { createResponseSink } from '#lambdas/platform/http/response-sink.ts';
import { createPricing } from '#lambdas/pricing/pricing.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { interceptLogLines } from '#test/support/intercept-log-lines.ts';
import { collectLogLines } from '#test/support/log-lines.ts';
import { requestKey } from '../support/api-keys.ts';
import { exampleClientOptions } from '../support/aws/client-options.ts';
import { functionUrlEvent } from '../support/chat/handler-fixture.ts';
import { emptyPriceTable } from '../support/prices.ts';
import { withTimeout } from './cases.ts';

export const providerKey = 'sk-canary-credential-0123456789';
/** Part of every prompt, so that a leaked prompt is found. */
export const plantedPrompt = 'canary-prompt';

export interface FuzzResult {
  status: number;
  headers: Record<string, string>;
  text: string;
  sent: OutgoingRequest[];
  entries: LogEntry[];
  logLines: string[];
  /** Texts that must not be in an error or a log line. */
  secrets: string[];
}

export interface FuzzGateway {
  apiKey: string;
  /** Must not be called concurrently. */
  send(event: HttpEvent, transport: HttpTransport): Promise<FuzzResult>;
  /** For the other endpoints. */
  authenticate: ReturnType<typeof createAuthenticate>;
}

export interface FuzzGatewayOptions {
  baseUrl?: string;
  firstByteMs?: number;
}

const providerNames = Object.keys(providerCatalog);
const pricing = createPricing(emptyPriceTable);

export function createFuzzGateway({
  baseUrl = 'http://127.0.0.1:1',
  firstByteMs = 5000,
}: FuzzGatewayOptions = {}): FuzzGateway {
  const settings = Object.fromEntries(providerNames.map((name) => [name, { baseUrl }]));
  const allCredentials: ProviderCredentials = Object.fromEntries(
    providerNames.map((name) => [name, { api_key: providerKey }]),
  );
  const key = generateApiKey();
  const apiKey = requestKey({ organization_id: 'org_F' });
  // A fixed time makes repeated responses equal.
  const now = () => new Date('2026-11-20T12:00:00Z');
  const secrets = [plantedPrompt, providerKey, key];
  const keyHash = hashApiKey(key);
  const apiKeys = { findApiKeyByHash: async (hash: string) => (hash === keyHash ? apiKey : null) };
  const authenticate = createAuthenticate({ apiKeys, now });
  const credentials = createCredentialSource({ read: async () => allCredentials, onFailure: () => {}, now });
  const { signal } = new AbortController();
  let exchange = startExchange(() => Promise.reject(new Error('No request was sent yet')));
  const print = (line: string) => void exchange.logLines.push(line);
  const log = collectLogLines(print);
  const connections: Pick<InferenceDependencies, 'providers' | 'transport' | 'limits'> = {
    providers: createProviderRegistry(settings, exampleClientOptions),
    transport: (request, watch) => exchange.transport(request, watch),
    limits: {
      ...chatLimits(defaultChatLimits, { flushMs: 0 }),
      retryAfterMs: 0,
      firstByteMs,
      idleMs: firstByteMs,
      closeGraceMs: firstByteMs,
      maxResponseBytes: 1024 * 1024,
    },
  };
  const handler = createInferenceHandler({
    operations,
    authenticate,
    credentials,
    agentSessions: true,
    ...connections,
    logEntries: { put: async (entry) => void exchange.entries.push(entry) },
    lostEntries: { send: () => Promise.reject(new Error('Log entries are always written')) },
    log,
    loadPricing: async () => pricing,
    loadAdmitRequest: () => Promise.reject(new Error('The key has no budget')),
    loadConversationState: () => Promise.reject(new Error('The provider keeps nothing')),
    loadServeRoute: () => Promise.reject(new Error('No request names a route')),
    cors: createCors([]),
    loadEndpoints: async () =>
      createEndpoints({
        ...connections,
        settings,
        region: 'us-east-1',
        credentials,
        loadRoutes: async () => ({ find: async () => null, list: async () => [] }),
        log,
        now,
        wait: async () => {},
      }),
    now,
  });

  return {
    apiKey: key,
    authenticate,
    async send(event, transport) {
      exchange = startExchange(transport);
      const { body } = exchange;
      const response = createResponseSink(body, (status, headers) => {
        Object.assign(exchange, { status, headers });
        return body;
      });
      const deadlineMs = now().getTime() + 50_000;
      const stopIntercepting = interceptLogLines(print);
      const handling = handler({ request: readHttpRequest(event), response, deadlineMs, signal });
      await withTimeout(handling).finally(stopIntercepting);
      return { ...exchange, text: Buffer.concat(exchange.bytes).toString(), secrets };
    },
  };
}

export function chatEvent({ apiKey }: Pick<FuzzGateway, 'apiKey'>, body: object): HttpEvent {
  return {
    ...functionUrlEvent,
    rawPath: '/ai/chat/completions',
    headers: { authorization: `Bearer ${apiKey}` },
    body: JSON.stringify(body),
  };
}

interface Exchange extends Omit<FuzzResult, 'text' | 'secrets'> {
  transport: HttpTransport;
  body: Writable;
  bytes: Buffer[];
}

function startExchange(transport: HttpTransport): Exchange {
  const bytes: Buffer[] = [];
  const sent: OutgoingRequest[] = [];
  return {
    status: 0,
    headers: {},
    sent,
    entries: [],
    logLines: [],
    bytes,
    body: new Writable({
      write(chunk, _, done) {
        bytes.push(chunk);
        done();
      },
    }),
    transport(request, watch) {
      sent.push(request);
      return transport(request, watch);
    },
  };
}
