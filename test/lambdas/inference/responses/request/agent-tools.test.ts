/** The tools of recorded requests of agents at each kind of provider: calls come back by the names that the agents gave them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  filterObjects,
  type JsonObject,
  objectOrEmpty,
  parseJsonObject,
} from '#lambdas/platform/json/json.ts';
import { agentRequests } from '#test/support/agent-requests.ts';
import {
  startTranslatedGateways,
  type TranslatedGateway,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import { itemProblems } from '#test/support/responses/item-events.ts';
import { streamProblems } from '#test/support/responses/schema.ts';
import { eventsOf } from '#test/support/responses/write.ts';

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways();
});
afterAll(() => gateways.stop());

const models = [
  'anthropic/claude-haiku-4-5',
  'bedrock/us.amazon.nova-2-lite-v1:0',
  'google/gemini-3.1-pro-preview',
  'mistral/mistral-large-latest',
  'vllm/Qwen/Qwen3-32B',
];
/** A script of Codex asks for one call at a time, which these do not have. */
const withoutSerialCalls = ['bedrock', 'google'];

interface CalledTool {
  name: string;
  isCustom: boolean;
  namespace: string | null;
}

/** A custom tool if there is one, or else the first tool; `null` for a request without tools. */
function toolOf({ tools, input }: JsonObject): CalledTool | null {
  const items = filterObjects(input);
  const offered = [...filterObjects(tools), ...items.flatMap((item) => filterObjects(item.tools))];
  const all = offered.flatMap((tool): CalledTool[] =>
    tool.type === 'namespace'
      ? filterObjects(tool.tools).map((inner) => calledTool(inner, String(tool.name)))
      : [calledTool(tool, null)],
  );
  return all.find(({ isCustom }) => isCustom) ?? all[0] ?? null;
}

function calledTool({ name, type }: JsonObject, namespace: string | null): CalledTool {
  return { name: String(name), isCustom: type === 'custom', namespace };
}

/** The call as the provider sends it. */
function providersCall({ name, isCustom, namespace }: CalledTool) {
  return {
    name: namespace === null ? name : `${namespace}__${name}`,
    input: isCustom ? { input: 'ls' } : { a: 1 },
  };
}

function itemOf({ name, isCustom, namespace }: CalledTool): object {
  const named = { name, ...(namespace !== null && { namespace }) };
  return isCustom
    ? { type: 'custom_tool_call', ...named, input: 'ls' }
    : { type: 'function_call', ...named, arguments: '{"a":1}' };
}

describe.each(models)('At %s', (model) => {
  const provider = model.slice(0, model.indexOf('/'));
  let gateway: TranslatedGateway;
  beforeAll(async () => {
    // Providers with the API get its requests only if the settings turn it off.
    const settings = { [provider]: { operations: { responses: false } } } as const;
    gateway = await gateways.start(provider, { path: '/ai/v1/responses', settings });
  });

  /** The provider calls the tool, or writes a title without tools. */
  function scriptCompletion(tool: CalledTool | null): void {
    const usage = { input: 21_944, output: 41 };
    const call = tool === null ? null : providersCall(tool);
    const title = { type: 'text', text: 'A title' } as const;
    const { behaviour } = gateway.upstream;
    behaviour.nextCompletion = () => ({
      parts: [call === null ? title : { type: 'call', ...call }],
      usage,
    });
    behaviour.nextTurn = () => ({
      blocks: [call === null ? title : { type: 'tool_use', id: 'toolu_1', ...call }],
      usage: { input_tokens: usage.input, output_tokens: usage.output },
    });
  }

  it.each(agentRequests('responses'))('a tool of $client is called: $name', async ({ body, headers }) => {
    const { handler, upstream } = gateway;
    const tool = toolOf(body);
    scriptCompletion(tool);

    const received = await handler.post({ ...body, model, stream: true }, headers);

    if (body.parallel_tool_calls === false && withoutSerialCalls.includes(provider)) {
      expect([received.status, objectOrEmpty(parseJsonObject(received.text)?.error)]).toMatchObject([
        400,
        { code: 'unsupported_parameter', param: 'parallel_tool_calls' },
      ]);
      return;
    }
    const events = eventsOf(received.text);
    expect([received.status, streamProblems(received.text), itemProblems(events)]).toEqual([200, [], []]);
    const { output, status } = objectOrEmpty(events.at(-1)?.response);
    expect([status, filterObjects(output).at(-1)]).toMatchObject([
      'completed',
      tool === null ? { type: 'message', content: [{ text: 'A title' }] } : itemOf(tool),
    ]);
    expect((await handler.entries()).at(-1)).toMatchObject({
      operation: 'responses',
      input_tokens: 21_944,
      output_tokens: 41,
    });
    expect(upstream.requests.at(-1)?.body.toString()).not.toMatch(/client_metadata|encrypted_content|gAAAAA/);
  });
});
