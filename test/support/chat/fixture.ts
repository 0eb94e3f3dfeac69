/** Creates a gateway, an organization and an upstream per test, with one embedded DynamoDB per test file. */

import { startEmbeddedDynamoDB } from '../dynamodb/embedded.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '../providers/openai/upstream.ts';
import {
  type ChatHandlerFixture,
  type ChatHandlerFixtureOptions,
  createChatHandlerFixture,
} from './handler-fixture.ts';

export interface ChatFixtureOptions extends Partial<ChatHandlerFixtureOptions> {
  /** Providers that the upstream stands for. */
  providers?: readonly string[];
}

export interface ChatFixture {
  /** The address of the embedded DynamoDB. */
  endpoint: string;
  setUp(options?: ChatFixtureOptions): Promise<{ upstream: OpenAIUpstream; gateway: ChatHandlerFixture }>;
  stop(): Promise<void>;
}

export async function startChatFixture(): Promise<ChatFixture> {
  const database = await startEmbeddedDynamoDB();
  const upstreams: OpenAIUpstream[] = [];
  return {
    endpoint: database.endpoint,
    async setUp({ providers = ['openai', 'mistral'], ...options } = {}) {
      const upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream' });
      upstreams.push(upstream);
      const gateway = await createChatHandlerFixture({
        database,
        settings: Object.fromEntries(providers.map((name) => [name, { baseUrl: upstream.baseUrl }])),
        credentials: Object.fromEntries(providers.map((name) => [name, { api_key: 'sk-upstream' }])),
        ...options,
      });
      return { upstream, gateway };
    },
    async stop() {
      await Promise.all(upstreams.map((upstream) => upstream.stop()));
      await database.stop();
    },
  };
}
