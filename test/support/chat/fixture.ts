/** Creates a gateway, an organization and an upstream per test, with one embedded DynamoDB per test file. */

import { startEmbeddedDynamoDB } from '../dynamodb/embedded.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '../providers/openai/upstream.ts';
import { type ChatHarness, type ChatHarnessOptions, createChatHarness } from './harness.ts';

export interface ChatFixture {
  setUp(options?: Partial<ChatHarnessOptions>): Promise<{ upstream: OpenAIUpstream; gateway: ChatHarness }>;
  stop(): Promise<void>;
}

export async function startChatFixture(): Promise<ChatFixture> {
  const database = await startEmbeddedDynamoDB();
  const upstreams: OpenAIUpstream[] = [];
  return {
    async setUp(options = {}) {
      const upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream' });
      upstreams.push(upstream);
      const gateway = await createChatHarness({
        database,
        settings: { openai: { baseUrl: upstream.baseUrl }, mistral: { baseUrl: upstream.baseUrl } },
        credentials: { openai: { api_key: 'sk-upstream' }, mistral: { api_key: 'sk-upstream' } },
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
