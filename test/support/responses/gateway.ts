/** A gateway whose provider `openai` sends scripted bytes, for callers of the Responses API. */
import { createConversationState } from '#lambdas/inference/conversation-state/state.ts';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { awsAccessAt } from '../aws/scripted-service.ts';
import { type NativeGateway, type NativeGateways, providerKey } from '../messages/native-gateway.ts';

type GatewayOptions = Parameters<NativeGateways['start']>[0];

export const exampleRequest = { model: 'openai/gpt-5.5', input: 'Hello' };

export const responseFields = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_790_000_000,
  status: 'completed',
  model: 'gpt-5.5-2026-04-23',
  output: [
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }],
    },
  ],
  service_tier: 'default',
  store: true,
  usage: {
    input_tokens: 19,
    input_tokens_details: { cached_tokens: 4, cache_write_tokens: 5 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 2 },
    total_tokens: 24,
  },
};

export function responsesEvent(data: { type: string; [field: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

export function startResponsesGateway(
  gateways: NativeGateways,
  options: GatewayOptions = {},
): Promise<NativeGateway> {
  return gateways.start({
    path: '/ai/v1/responses',
    settingsOf: (baseUrl) => ({ openai: { baseUrl: `${baseUrl}/v1` } }),
    credentials: { openai: { api_key: providerKey } },
    ...options,
  });
}

/** Starts a gateway with another organization that shares the conversation state of `first`. */
export function startSharingGateway(
  gateways: NativeGateways,
  first: NativeGateway,
  endpoint: string,
): Promise<NativeGateway> {
  const now = () => new Date();
  const dynamodb = createJsonService({ service: 'dynamodb', access: awsAccessAt(endpoint), now });
  const tableName = first.handler.tables.conversationState;
  return startResponsesGateway(gateways, {
    dependencies: {
      loadConversationState: async () => createConversationState({ dynamodb, tableName, now }),
    },
  });
}
