/**
 * The Messages API of Anthropic and of Bedrock's Claude with the clients that people use, unchanged, and with the recorded
 * requests of agents. `providers.test.ts` runs these tests with its gateway and its fake providers.
 */
import Anthropic from '@anthropic-ai/sdk';
import { expect, it } from 'vitest';
import { agentRequests } from '#test/support/agent-requests.ts';
import { type ClaudeModel, scriptTurns } from '#test/support/messages/script-turns.ts';
import { messageBody } from '#test/support/providers/anthropic/scripted-turns.ts';
import { describeMessageClients, type Running } from './message-clients.ts';

/** On Bedrock, older models do not have the version of the API that Anthropic's SDK asks for. */
const models = [
  'anthropic/claude-sonnet-4-5',
  'bedrock/us.anthropic.claude-opus-4-8',
] as const satisfies ClaudeModel[];

const question = { role: 'user', content: 'What is the weather in Oslo?' } as const;

/** The same model, which has the same rules. */
const bedrockModelOf = (model: string) =>
  model.includes('opus')
    ? 'bedrock/us.anthropic.claude-opus-4-8'
    : 'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0';

/** The headers by which the gateway itself calls each provider. */
const ownHeaders = {
  anthropic: ['x-api-key'],
  bedrock: [
    'amz-sdk-invocation-id',
    'amz-sdk-request',
    'authorization',
    'x-amz-content-sha256',
    'x-amz-date',
    'x-amz-security-token',
    'x-amz-user-agent',
  ],
};
/** Claude Code adds them to the requests of subagents. */
const subagent = { 'x-claude-code-agent-id': 'a1b2c3', 'x-claude-code-parent-agent-id': 'd4e5f6' };
const transportHeaders = ['accept-encoding', 'connection', 'content-length', 'content-type', 'host'];

/** `running` is called in tests, when the gateway has started. */
export function describeMessages(running: () => Running): void {
  const upstreamOf = (model: string) => {
    const upstream = running().upstreams.get(model.slice(0, model.indexOf('/')));
    if (upstream === undefined) throw new Error(`No fake provider for ${model}`);
    return upstream;
  };
  const script = (model: ClaudeModel) =>
    scriptTurns({ gateway: running().gateway, upstream: upstreamOf(model), model });

  describeMessageClients(running, models, (model) => ({
    ...script(model),
    usage: [19, 5],
    requestId: /^req_0+\d+$/,
    // Bedrock refuses to keep a conversation.
    refused: model.startsWith('bedrock/') ? 1 : 0,
  }));

  it.each(models)(
    'of Anthropic’s SDK are created with a field in beta and its header, with %s',
    async (model) => {
      const { gateway } = running();
      const { requests, expectEntries } = script(model);
      const anthropic = new Anthropic({
        baseURL: `${gateway.chatUrl}/ai`,
        authToken: gateway.apiKey,
        apiKey: null,
      });

      await anthropic.beta.messages.create({
        model,
        max_tokens: 1024,
        messages: [question],
        betas: ['context-management-2025-06-27'],
        context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
      });

      expect(requests()[0]?.headers['anthropic-beta']).toBe('context-management-2025-06-27');
      await expectEntries();
    },
  );

  const forwarded = agentRequests('messages').flatMap((recorded) =>
    [
      { model: String(recorded.body.model), stream: true },
      { model: String(recorded.body.model), stream: false },
      { model: bedrockModelOf(String(recorded.body.model)), stream: true },
    ].map((variant) => ({ ...recorded, ...variant })),
  );

  it.each(forwarded)(
    'of $client are forwarded byte for byte: $name, $model, stream $stream',
    async (sent) => {
      const { gateway } = running();
      const upstream = upstreamOf(sent.model);
      const turn = {
        blocks: [
          { type: 'thinking', thinking: 'A greeting: Grüße 🙂', signature: 'signed-by-the-provider' },
          { type: 'text', text: 'I will change\nthe “greeting”.' },
          { type: 'tool_use', id: 'toolu_01A09q90qw90lq917835lq9', name: 'Read', input: { file_path: '/a' } },
        ] as const,
        usage: { input_tokens: 3, output_tokens: 41, cache_read_input_tokens: 20_411 },
      };
      upstream.behaviour.nextTurn = () => turn;
      // The spaces are those of no serializer.
      const body = JSON.stringify({ ...sent.body, stream: sent.stream, model: sent.model }, null, 1).replace(
        '{',
        '{ \t',
      );

      const response = await fetch(`${gateway.chatUrl}${sent.url}`, {
        method: 'POST',
        headers: { ...sent.headers, ...subagent, authorization: `Bearer ${gateway.apiKey}` },
        body,
      });
      const text = await response.text();

      expect(response.status).toBe(200);
      const request = upstream.requests.at(-1);
      if (request === undefined) throw new Error('The request was not forwarded');
      const model = sent.model.slice(sent.model.indexOf('/') + 1);
      expect(request.body.toString()).toBe(body.replace(JSON.stringify(sent.model), JSON.stringify(model)));
      expect([messageBody(turn, { requestId: request.requestId, model }, sent.stream)].flat().join('')).toBe(
        text,
      );
      expect(response.headers.get('request-id')).toBe(request.requestId);
      expect(response.headers.get('anthropic-ratelimit-requests-remaining')).toBe('3999');
      expect(response.headers.get('x-gateway-request-id')).toMatch(/^[0-9a-f-]{36}$/);

      const callers = Object.entries(sent.headers)
        .map(([name, value]) => [name.toLowerCase(), value] as const)
        .filter(([name]) => name.startsWith('anthropic-') || name === 'user-agent');
      for (const [name, value] of callers) expect([name, request.headers[name]]).toEqual([name, value]);
      const provider = sent.model.startsWith('bedrock/') ? 'bedrock' : 'anthropic';
      const allowed = [...ownHeaders[provider], ...transportHeaders, ...callers.map(([name]) => name)];
      expect(Object.keys(request.headers).filter((name) => !allowed.includes(name))).toEqual([]);
      expect(JSON.stringify(request.headers)).not.toContain(gateway.apiKey);
      delete upstream.behaviour.nextTurn;
    },
  );

  it('do not include the address that warms connections', async () => {
    const { chatUrl, apiKey } = running().gateway;
    const response = await fetch(`${chatUrl}/ai/api/hello`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${apiKey}` },
    });

    expect(response.status).toBe(404);
  });

  const messages = [question];
  const use = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} };
  const tools = [{ name: 'weather', input_schema: { type: 'object' } }];
  it.each<[status: number, fields: object, message: string]>([
    [400, { max_tokens: undefined }, 'max_tokens: Field required'],
    [400, { messages: [] }, 'messages: Too small: expected array to have >=1 items'],
    [400, { no_such_field: 1 }, 'no_such_field: Extra inputs are not permitted'],
    [400, { context_management: { edits: [] } }, 'context_management: Extra inputs are not permitted'],
    [
      400,
      { tools: [{ ...tools[0], defer_loading: true }] },
      'tools.0.custom.defer_loading: Extra inputs are not permitted',
    ],
    [
      400,
      { metadata: { user_id: 'x'.repeat(257) } },
      'metadata.user_id: String should have at most 256 characters',
    ],
    [
      400,
      { thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 1024 },
      '`max_tokens` must be greater than `thinking.budget_tokens`.',
    ],
    [
      400,
      { tools, messages: [question, { role: 'assistant', content: [use] }, question] },
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
    ],
    [
      400,
      {
        tools,
        messages: [question, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_2' }] }],
      },
      'messages.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_2. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
    ],
    [
      400,
      {
        tools,
        max_tokens: 4096,
        thinking: { type: 'enabled', budget_tokens: 1024 },
        messages: [
          question,
          { role: 'assistant', content: [use] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
        ],
      },
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.',
    ],
    [
      400,
      { messages: [question, { role: 'system', content: 'Be brief' }] },
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    ],
    [404, { model: 'anthropic/no-such-model' }, 'model: no-such-model'],
  ])('have the provider’s errors: %i for %o', async (status, fields, message) => {
    const { gateway } = running();
    const response = await fetch(`${gateway.chatUrl}/ai/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: models[0], max_tokens: 16, messages, ...fields }),
    });

    const requestId = upstreamOf(models[0]).requests.at(-1)?.requestId;
    const type = status === 404 ? 'not_found_error' : 'invalid_request_error';
    expect(response.status).toBe(status);
    expect(await response.text()).toBe(
      JSON.stringify({ type: 'error', error: { type, message }, request_id: requestId }),
    );
    expect(response.headers.get('request-id')).toBe(requestId);
  });
}
