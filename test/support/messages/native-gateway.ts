/** A gateway whose provider `anthropic` sends scripted bytes, for callers who use the Messages API themselves. */
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import {
  type ChatHandlerFixture,
  type ChatHandlerFixtureOptions,
  createChatHandlerFixture,
} from '../chat/handler-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '../dynamodb/embedded.ts';
import { startUpstream, type Upstream } from '../providers/upstream.ts';
import { jsonResponse, type RecordedRequest, type Respond } from '../providers/upstream-responses.ts';

export const providerKey = 'sk-upstream-key';

interface Exchanged {
  status: number;
  headers: Record<string, string>;
  text: string;
  entry: LogEntry;
  /** As the provider received it. */
  request: RecordedRequest;
}

export interface NativeGateway {
  upstream: Upstream<null>;
  handler: ChatHandlerFixture;
  /** Sends the request, to which the provider responds as given. */
  exchange(respond: Respond, body?: string | object, headers?: Record<string, string>): Promise<Exchanged>;
}

interface NativeGatewayOptions extends Partial<ChatHandlerFixtureOptions> {
  /** Returns the settings of the providers, for the address of the upstream. Default: Anthropic at `/v1`. */
  settingsOf?(baseUrl: string): ProviderSettingsByName;
}

export interface NativeGateways {
  start(options?: NativeGatewayOptions): Promise<NativeGateway>;
  stop(): Promise<void>;
}

export const exampleRequest = {
  model: 'anthropic/claude-opus-4-8',
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Hello' }],
};

const anthropicSettings = (baseUrl: string) => ({ anthropic: { baseUrl: `${baseUrl}/v1` } });

/** Stops the database only if it has started it. */
export async function startNativeGateways(shared?: EmbeddedDynamoDB): Promise<NativeGateways> {
  const database: EmbeddedDynamoDB = shared ?? (await startEmbeddedDynamoDB());
  const upstreams: Upstream<null>[] = [];
  return {
    async start({ settingsOf = anthropicSettings, ...options } = {}) {
      const protocol = { path: '', respond: () => jsonResponse('unscripted', { status: 500 }) };
      const upstream = await startUpstream<null>(protocol, null);
      upstreams.push(upstream);
      const handler = await createChatHandlerFixture({
        database,
        path: '/ai/v1/messages',
        settings: settingsOf(upstream.baseUrl),
        credentials: { anthropic: { api_key: providerKey } },
        ...options,
      });
      return {
        upstream,
        handler,
        async exchange(respond, body = exampleRequest, headers = {}) {
          upstream.script(respond);
          const response = await handler.post(body, headers);
          const entry = (await handler.entries()).at(-1);
          const request = upstream.requests.at(-1);
          if (entry === undefined || request === undefined) throw new Error('The request was not forwarded');
          return { ...response, entry, request };
        },
      };
    },
    async stop() {
      await Promise.all(upstreams.map((upstream) => upstream.stop()));
      if (shared === undefined) await database.stop();
    },
  };
}
