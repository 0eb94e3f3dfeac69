import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isJsonObject } from '../../../../lambdas/shared/domain/json.ts';
import { fixturesOf } from '../fixture.ts';
import { type BedrockUpstream, startBedrockUpstream } from './bedrock-protocol.ts';

const claude = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
const opus = 'us.anthropic.claude-opus-4-7';
const llama = 'us.meta.llama3-3-70b-instruct-v1:0';
const nova = 'amazon.nova-lite-v1:0';
const expectedRole = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };

let upstream: BedrockUpstream;
beforeAll(async () => {
  upstream = await startBedrockUpstream();
});
beforeEach(() => {
  upstream.behaviour = { expectedApiKey: 'key', expectedRole };
});
afterAll(() => upstream.stop());

interface Post {
  model?: string;
  operation?: string;
  headers?: Record<string, string>;
}

async function post(body: unknown, { model = claude, operation = 'converse', headers = {} }: Post = {}) {
  const response = await fetch(`${upstream.baseUrl}/model/${encodeURIComponent(model)}/${operation}`, {
    method: 'POST',
    headers: { authorization: 'Bearer key', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const kind = response.headers.get('x-amzn-errortype')?.split(':')[0];
  const answer: unknown = await response.json();
  return { status: response.status, kind, ...(isJsonObject(answer) && answer) };
}

const user = (...content: unknown[]) => ({ role: 'user', content });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const hi = user({ text: 'Hi' });
const call = (toolUseId: string) => ({ toolUse: { toolUseId, name: 'weather', input: {} } });
const result = (toolUseId: string) => ({ toolResult: { toolUseId, content: [{ text: '9 °C' }] } });
const toolConfig = { tools: [{ toolSpec: { name: 'weather', inputSchema: { json: { type: 'object' } } } }] };
const image = { image: { format: 'png', source: { bytes: 'iVBORw0KGgo=' } } };
const cachePoint = { cachePoint: { type: 'default' } };
const file = (name: string) => ({ document: { name, format: 'txt', source: { bytes: 'aGk=' } } });
const jsonSchema = (schema: object) => ({
  outputConfig: {
    textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: JSON.stringify(schema) } } },
  },
});
const thinking = (budget_tokens: number) => ({
  additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens } },
});
const violation = (where: string, constraint: string) =>
  `1 validation error detected: ${where} failed to satisfy constraint: ${constraint}`;
const said = (message: string) => `The model returned the following errors: ${message}`;
const afterCall = [hi, assistant(call('a')), user(result('a'))];

describe('the Bedrock fake', () => {
  it.each<[string, object, string, string?]>([
    ['no message', {}, 'A conversation must have at least one message. Try again with a message.'],
    [
      'an unknown field',
      { messages: [hi], max_tokens: 5 },
      'Malformed input request: #: extraneous key [max_tokens] is not permitted, please reformat your input and try again.',
    ],
    [
      'a system role',
      { messages: [{ role: 'system', content: [{ text: 'Hi' }] }] },
      violation(
        "Value 'system' at 'messages.1.member.role'",
        'Member must satisfy enum value set: [user, assistant]',
      ),
    ],
    [
      'a temperature above 1',
      { messages: [hi], inferenceConfig: { temperature: 1.5 } },
      violation(
        "Value '1.5' at 'inferenceConfig.temperature'",
        'Member must have value less than or equal to 1',
      ),
    ],
    [
      'an assistant who begins',
      { messages: [assistant({ text: 'Hi' }), hi] },
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    ],
    [
      'two turns of the same role',
      { messages: [hi, hi] },
      'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
    ],
    [
      'an empty message',
      { messages: [user()] },
      'The content field in the Message object at messages.0 is empty. Add a ContentBlock object to the content field and try again.',
    ],
    [
      'a blank text',
      { messages: [user({ text: ' ' })] },
      'The text field in the ContentBlock object at messages.0.content.0 is blank. Add text to the text field, and try again.',
    ],
    [
      'tool blocks without tools',
      { messages: afterCall },
      'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
    ],
    [
      'a call without its result',
      { messages: [hi, assistant(call('a'), call('b')), user(result('a'))], toolConfig },
      'Expected toolResult blocks at messages.2.content for the following Ids: b',
    ],
    [
      'a result without its call',
      { messages: [hi, assistant({ text: 'Yes' }), user(result('a'))], toolConfig },
      'The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn.',
    ],
    [
      'two calls of one id',
      { messages: [hi, assistant(call('a'), call('a')), user(result('a'))], toolConfig },
      'The toolUse blocks at messages.1.content contain duplicate Ids: a',
    ],
    [
      'an empty list of tools',
      { messages: [hi], toolConfig: { tools: [] } },
      violation("Value at 'toolConfig.tools'", 'Member must have length greater than or equal to 1'),
    ],
    [
      'a choice of tool that the model does not know',
      { messages: [hi], toolConfig: { ...toolConfig, toolChoice: { any: {} } } },
      "This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and try again.",
      llama,
    ],
    [
      'a forced tool of Opus 5.5',
      { messages: [hi], toolConfig: { ...toolConfig, toolChoice: { any: {} } } },
      said('tool_choice: type "tool" and "any" are not supported for this model.'),
      'us.anthropic.claude-opus-5-5',
    ],
    [
      'a document name with a dot',
      { messages: [user({ text: 'Read' }, file('report.txt'))] },
      "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character. Check that the file name conforms to these restrictions and retry your request.",
    ],
    [
      'five stop sequences of Nova',
      { messages: [hi], inferenceConfig: { stopSequences: ['a', 'b', 'c', 'd', 'e'] } },
      said(
        'Malformed input request: #/stopSequences: expected maximum item count: 4, please reformat your input and try again.',
      ),
      nova,
    ],
    [
      'five cache points',
      {
        system: [{ text: 'a' }, cachePoint, { text: 'b' }, cachePoint, { text: 'c' }, cachePoint],
        messages: [user({ text: 'Hi' }, cachePoint, { text: 'there' }, cachePoint)],
      },
      said('A maximum of 4 blocks with cache_control may be provided. Found 5.'),
    ],
    [
      'a cache point with nothing before it',
      { messages: [user(cachePoint)] },
      'There is nothing available to cache. Please remove the invalid cache point and try again.',
    ],
    [
      'an image at a model without eyes',
      { messages: [user(image)] },
      "This model doesn't support the image field for user messages. Remove image and try again.",
      llama,
    ],
    [
      'a schema that leaves properties open',
      { messages: [hi], ...jsonSchema({ type: 'object' }) },
      said(
        "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
      ),
    ],
    [
      'a schema at a model without structured output',
      { messages: [hi], ...jsonSchema({ type: 'object' }) },
      said('output_config.format: Extra inputs are not permitted'),
      opus,
    ],
    [
      'a temperature at a model without sampling',
      { messages: [hi], inferenceConfig: { temperature: 1 } },
      said('`temperature` is deprecated for this model.'),
      opus,
    ],
    [
      'a budget of thought that is too small',
      { messages: [hi], ...thinking(1000) },
      said('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024'),
    ],
    [
      'a budget of thought at a model that has none',
      { messages: [hi], ...thinking(2000) },
      said(
        '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
      ),
      opus,
    ],
    [
      'a tool loop that forgets its thoughts',
      { messages: afterCall, toolConfig, ...thinking(2000) },
      said(
        'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).',
      ),
    ],
    ['an unknown model', { messages: [hi] }, 'The provided model identifier is invalid.', 'gpt-4o'],
    [
      'a model without its inference profile',
      { messages: [hi] },
      'Invocation of model ID anthropic.claude-opus-5 with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.',
      'anthropic.claude-opus-5',
    ],
  ])('refuses %s', async (_, body, message, model = claude) => {
    expect(await post(body, { model })).toEqual({ status: 400, kind: 'ValidationException', message });
  });

  it('refuses image bytes that are not in base64', async () => {
    const broken = { image: { format: 'png', source: { bytes: 'not base64' } } };

    expect(await post({ messages: [user(broken)] })).toEqual({
      status: 400,
      kind: 'SerializationException',
      message: 'Invalid Base64 encoding',
    });
  });

  it('tells that a model has gone', async () => {
    expect(await post({ messages: [hi] }, { model: 'anthropic.claude-v2' })).toMatchObject({
      status: 404,
      kind: 'ResourceNotFoundException',
    });
  });

  it.each([
    ['another key', 'Bearer other', 'AccessDeniedException'],
    ['an unknown signer', signatureBy('AKIDOTHER'), 'UnrecognizedClientException'],
    ['a wrong signature', signatureBy(expectedRole.accessKeyId), 'InvalidSignatureException'],
    ['what is neither', 'Basic abc', 'InvalidSignatureException'],
  ])('refuses %s', async (_, authorization, kind) => {
    expect(await post({ messages: [hi] }, { headers: { authorization } })).toMatchObject({
      status: 403,
      kind,
    });
  });

  function signatureBy(accessKeyId: string): string {
    const scope = `${accessKeyId}/20261120/us-east-1/bedrock/aws4_request`;
    return `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`;
  }
});

/** The SDK's own speaks HTTP/2, which the fakes do not. */
const requestHandler = {
  async handle({ hostname, port, path, headers, body }: HandledRequest) {
    const { host: _, 'content-length': __, ...rest } = headers;
    const answer = await fetch(`http://${hostname}:${port}${path}`, { method: 'POST', headers: rest, body });
    const response = {
      statusCode: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: path.endsWith('-stream') ? answer.body : new Uint8Array(await answer.arrayBuffer()),
    };
    return { response };
  },
};

interface HandledRequest {
  hostname: string;
  port?: number;
  path: string;
  headers: Record<string, string>;
  body?: Uint8Array<ArrayBuffer>;
}

describe('the Bedrock fake, asked through the AWS SDK', () => {
  const client = () =>
    new BedrockRuntimeClient({
      endpoint: upstream.baseUrl,
      region: 'us-east-1',
      credentials: expectedRole,
      authSchemePreference: ['sigv4'],
      maxAttempts: 1,
      requestHandler,
    });
  const streamed = async (input: ConstructorParameters<typeof ConverseStreamCommand>[0]) => {
    const { stream = [] } = await client().send(new ConverseStreamCommand(input));
    return Array.fromAsync(stream as AsyncIterable<unknown>);
  };
  const question = { modelId: claude, messages: [{ role: 'user' as const, content: [{ text: 'Hi' }] }] };
  const tools = [
    { toolSpec: { name: 'weather', inputSchema: { json: { properties: { city: { type: 'string' } } } } } },
  ];

  it('takes the signature and answers', async () => {
    const answer = await client().send(new ConverseCommand(question));

    expect(answer.output?.message?.content).toEqual([{ text: 'Hello there, I am here.' }]);
    expect(answer.$metadata.requestId).toBe(upstream.requests.at(-1)?.requestId);
  });

  it('streams what the user said when told to', async () => {
    upstream.behaviour = { expectedRole, echo: true };

    const events = await streamed(question);

    const delta = (text: string) => ({ contentBlockDelta: { contentBlockIndex: 0, delta: { text } } });
    expect(events).toEqual([
      { messageStart: { role: 'assistant' } },
      ...['You', ' said:', ' Hi'].map(delta),
      { contentBlockStop: { contentBlockIndex: 0 } },
      { messageStop: { stopReason: 'end_turn' } },
      {
        metadata: {
          usage: { inputTokens: 12, outputTokens: 8, totalTokens: 20 },
          metrics: { latencyMs: 412 },
        },
      },
    ]);
  });

  it('calls a tool, its arguments in two pieces', async () => {
    const events = await streamed({ ...question, toolConfig: { tools } });

    const delta = (input: string) => ({
      contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input } } },
    });
    expect(events.slice(1, 4)).toEqual([
      {
        contentBlockStart: {
          contentBlockIndex: 0,
          start: {
            toolUse: { name: 'weather', toolUseId: 'tooluse_Q1w2E3r4T5y6U7i8O9p0Aa', type: 'tool_use' },
          },
        },
      },
      delta('{"city":'),
      delta('"Oslo"}'),
    ]);
  });

  it('answers in JSON by a schema', async () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false };
    const answer = await client().send(
      new ConverseCommand({
        ...question,
        outputConfig: {
          textFormat: {
            type: 'json_schema',
            structure: { jsonSchema: { name: 'report', schema: JSON.stringify(schema) } },
          },
        },
      }),
    );

    expect(answer.output?.message?.content).toEqual([{ text: '{"city":"text"}' }]);
  });

  it('throws what a fixture throws inside its stream', async () => {
    const fixture = fixturesOf('bedrock').get('error-in-stream');
    upstream.behaviour = { expectedRole, ...(fixture && { fixture }) };

    await expect(streamed(question)).rejects.toMatchObject({ name: 'ModelStreamErrorException' });
  });

  it.each([...fixturesOf('bedrock')].filter(([, { plain }]) => plain?.status === 200))(
    'replays %s whole and streamed with the same usage',
    async (_, fixture) => {
      upstream.behaviour = { expectedRole, fixture };

      const { output, stopReason, usage } = await client().send(new ConverseCommand(question));
      const events = await streamed(question);

      expect(output?.message?.role).toBe('assistant');
      expect(events).toContainEqual({ messageStop: expect.objectContaining({ stopReason }) });
      const { inputTokens, outputTokens } = usage ?? {};
      expect(events.at(-1)).toMatchObject({ metadata: { usage: { inputTokens, outputTokens } } });
    },
  );
});
