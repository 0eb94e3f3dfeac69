/** The chat handler as it is deployed, with stores in memory: quick enough for a hundred thousand requests. */
import { Writable } from 'node:stream';
import { vi } from 'vitest';
import { hashApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import { createAuthenticate } from '#lambdas/access/authenticate.ts';
import { createChatHandler } from '#lambdas/inference/chat/handler.ts';
import { chatLimits, defaultChatLimits } from '#lambdas/inference/chat/limits.ts';
import { createModelsEndpoint } from '#lambdas/inference/models/endpoint.ts';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import {
  createCredentialSource,
  type ProviderCredentials,
} from '#lambdas/inference/providers/credentials.ts';
import type { HttpTransport, OutgoingRequest } from '#lambdas/inference/providers/http/client.ts';
import { createProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import { type HttpEvent, readHttpRequest } from '#lambdas/platform/http/lambda-event.ts';
import { createResponseSink } from '#lambdas/platform/http/response-sink.ts';
import { createLog } from '#lambdas/platform/log.ts';
import { priceTable } from '#lambdas/pricing/price-table.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { exampleCaller } from '../support/aws-caller.ts';
import { functionUrlEvent } from '../support/chat-harness.ts';
import { withoutHanging } from './fuzz-cases.ts';

export const providerKey = 'sk-canary-credential-0123456789';
/** Stands in every prompt: where it comes up, a prompt has come up. */
export const promptCanary = 'canary-prompt';

export interface FuzzReply {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** What left for the provider. */
  sent: OutgoingRequest[];
  entries: LogEntry[];
  /** The lines of the log, those included that nobody expects. */
  lines: string[];
  /** What must not be in an error or a line. */
  secrets: string[];
}

export interface FuzzGateway {
  apiKey: string;
  /** One exchange after the other. */
  send(event: HttpEvent, transport: HttpTransport): Promise<FuzzReply>;
  /** What can be asked for costs, logs and models too. */
  authenticate: ReturnType<typeof createAuthenticate>;
}

export interface FuzzGatewayOptions {
  baseUrl?: string;
  firstByteMs?: number;
}

const names = Object.keys(providerCatalog);

export function createFuzzGateway({
  baseUrl = 'http://127.0.0.1:1',
  firstByteMs = 5000,
}: FuzzGatewayOptions = {}): FuzzGateway {
  const settings = Object.fromEntries(names.map((name) => [name, { baseUrl }]));
  const known: ProviderCredentials = Object.fromEntries(
    names.map((name) => [name, { api_key: providerKey }]),
  );
  const { key, apiKey } = issueApiKey({
    organizationId: 'org_F',
    name: 'fuzz',
    createdAt: new Date(0),
    logShards: 1,
  });
  // It stands still, so that the same answer is the same twice.
  const now = () => new Date('2026-11-20T12:00:00Z');
  const secrets = [promptCanary, providerKey, key];
  const keyHash = hashApiKey(key);
  const directory = { findApiKeyByHash: async (hash: string) => (hash === keyHash ? apiKey : null) };
  const authenticate = createAuthenticate({ directory, now });
  const credentials = createCredentialSource({ read: async () => known, onFailure: () => {}, now });
  const { signal } = new AbortController();
  let exchange = startExchange(() => Promise.reject(new Error('Nobody has asked yet')));
  const print = (line: string) => void exchange.lines.push(line);
  vi.spyOn(console, 'error').mockImplementation(print);
  const handler = createChatHandler({
    authenticate,
    credentials,
    providers: createProviderRegistry(settings, exampleCaller),
    transport: (request, watch) => exchange.transport(request, watch),
    logEntries: { put: async (entry) => void exchange.entries.push(entry) },
    lostEntries: { send: () => Promise.reject(new Error('No entry is lost here')) },
    log: createLog({ log: print, error: print }),
    loadPriceTable: async () => priceTable,
    loadModelsEndpoint: async () => createModelsEndpoint({ settings, credentials, region: 'us-east-1', now }),
    now,
    limits: {
      ...chatLimits(defaultChatLimits),
      retryAfterMs: 0,
      firstByteMs,
      idleMs: firstByteMs,
      lingerMs: firstByteMs,
      maxCompletionBytes: 1024 * 1024,
    },
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
      await withoutHanging(handler({ request: readHttpRequest(event), response, deadlineMs, signal }));
      return { ...exchange, text: Buffer.concat(exchange.bytes).toString(), secrets };
    },
  };
}

/** A request with everything that it needs. */
export function chatEvent({ apiKey }: Pick<FuzzGateway, 'apiKey'>, body: object): HttpEvent {
  return {
    ...functionUrlEvent,
    rawPath: '/ai/chat/completions',
    headers: { authorization: `Bearer ${apiKey}` },
    body: JSON.stringify(body),
  };
}

interface Exchange extends Omit<FuzzReply, 'text' | 'secrets'> {
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
    lines: [],
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
