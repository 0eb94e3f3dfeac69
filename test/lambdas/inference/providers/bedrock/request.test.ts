import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toConverseRequest } from '#lambdas/inference/providers/bedrock/request.ts';
import {
  exampleClaudeModel,
  expectAccepted,
  expectRejected,
  prepareBedrock,
} from '#test/support/providers/bedrock/call.ts';
import { type BedrockUpstream, startBedrockUpstream } from '#test/support/providers/bedrock/upstream.ts';
import { providerCall, readRequest } from '#test/support/providers/provider-call.ts';

let upstream: BedrockUpstream;
beforeAll(async () => {
  upstream = await startBedrockUpstream();
});
afterAll(() => upstream.stop());

const nova = 'amazon.nova-lite-v1:0';
const novaTarget = { provider: 'bedrock', model: nova };
const llama = 'us.meta.llama3-3-70b-instruct-v1:0';
const opus = 'us.anthropic.claude-opus-4-7';
const hi = { role: 'user', content: 'Hi' };
const hiTurn = { role: 'user', content: [{ text: 'Hi' }] };
const bodyFor = async (request: Record<string, unknown>) => (await expectAccepted(upstream, request)).body;
const ignoredFor = async (request: Record<string, unknown>) =>
  (await expectAccepted(upstream, request)).ignored;
const contentFor = async (...content: unknown[]) => {
  const { messages } = await bodyFor({ messages: [{ role: 'user', content }] });
  return messages;
};
const dataUrl = (mediaType: string, data = 'AAAA') => `data:${mediaType};base64,${data}`;
const image = (url: string, fields: object = {}) => ({ type: 'image_url', image_url: { url, ...fields } });
const file = (filename: string | undefined, mediaType = 'application/pdf') => ({
  type: 'file',
  file: { filename, file_data: dataUrl(mediaType) },
});
const text = (value: string, fields: object = {}) => ({ type: 'text', text: value, ...fields });
const ephemeral = { cache_control: { type: 'ephemeral' } };
const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const cachePoint = { cachePoint: { type: 'default' } };

describe('Requests to Bedrock', () => {
  it('sends no default or null parameters', async () => {
    expect(await bodyFor({ messages: [hi], n: 1, tools: [], temperature: null })).toEqual({
      messages: [hiTurn],
    });
  });

  it('sends system and developer messages as system', async () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      hi,
      { role: 'developer', content: [text('Be kind.'), text(' ')] },
    ];

    expect(await bodyFor({ messages })).toEqual({
      system: [{ text: 'Be brief.' }, { text: 'Be kind.' }],
      messages: [hiTurn],
    });
  });

  it('sends standard parameters in inferenceConfig', async () => {
    const request = { max_tokens: 10, max_completion_tokens: 20, temperature: 0.5, stop: 'END' };

    expect(await bodyFor(request)).toEqual({
      messages: [hiTurn],
      inferenceConfig: { maxTokens: 20, temperature: 0.5, stopSequences: ['END'] },
    });
  });

  it('merges consecutive turns of one role and omits empty ones', async () => {
    const messages = [
      hi,
      { role: 'assistant', content: '' },
      { role: 'user', content: [text('there'), text('\n')] },
      {
        role: 'assistant',
        content: '',
        thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }],
      },
      { role: 'user', content: 'Well?' },
      { role: 'assistant', content: 'Yes?' },
      { role: 'assistant', content: 'Well?' },
      { role: 'user', content: 'Bye' },
    ];

    expect((await bodyFor({ messages })).messages).toEqual([
      { role: 'user', content: [{ text: 'Hi' }, { text: 'there' }, { text: 'Well?' }] },
      { role: 'assistant', content: [{ text: 'Yes?' }, { text: 'Well?' }] },
      { role: 'user', content: [{ text: 'Bye' }] },
    ]);
  });

  it('forwards Converse fields, and sends all others as model-specific fields', async () => {
    const request = {
      guardrailConfig: { guardrailIdentifier: 'g1', guardrailVersion: '1' },
      inferenceConfig: { maxTokens: 7 },
      performanceConfig: { latency: 'optimized' },
      requestMetadata: { team: 'a' },
      additionalModelRequestFields: { top_k: 5 },
      additionalModelResponseFieldPaths: ['/stop_sequence'],
      anthropic_beta: ['a-feature'],
      max_tokens: 100,
      temperature: 0.25,
    };

    expect(await bodyFor(request)).toEqual({
      messages: [hiTurn],
      inferenceConfig: { maxTokens: 7, temperature: 0.25 },
      guardrailConfig: { guardrailIdentifier: 'g1', guardrailVersion: '1' },
      performanceConfig: { latency: 'optimized' },
      requestMetadata: { team: 'a' },
      additionalModelRequestFields: { top_k: 5, anthropic_beta: ['a-feature'] },
      additionalModelResponseFieldPaths: ['/stop_sequence'],
    });
  });

  it.each([
    [{ max_completion_tokens: 20, max_tokens: 10 }, 20],
    [{ max_tokens: 10, inferenceConfig: { maxTokens: 64_000 } }, 64_000],
    [{ max_tokens: 10, inferenceConfig: { temperature: 0 } }, 10],
    [{ max_tokens: 10, inferenceConfig: null }, null],
    [{ max_tokens: 10, inferenceConfig: { maxTokens: -1 } }, null],
    // The budget for thinking needs a limit.
    [{ reasoning_effort: 'low' }, 64_000],
    [{}, null],
  ])('states the output limit that it sends for %j', async (fields, maxOutputTokens) => {
    const call = providerCall({ model: exampleClaudeModel, ...fields });
    const { outputLimit } = await prepareBedrock('http://bedrock.test')(call);

    expect(outputLimit()).toEqual({ maxOutputTokens, completions: 1 });
  });

  it('rejects additionalModelRequestFields that are not an object', async () => {
    expect(await expectRejected({ additionalModelRequestFields: [1] })).toEqual({
      code: 'invalid_request_error',
      param: 'additionalModelRequestFields',
      message: 'additionalModelRequestFields must be an object',
    });
    expect(await bodyFor({ additionalModelRequestFields: null })).toEqual({ messages: [hiTurn] });
  });

  it('reports ignored parameters', async () => {
    const request = { seed: 1, frequency_penalty: 0.5, user: 'u1', messages: [hi] };

    expect(await ignoredFor(request)).toEqual(['frequency_penalty', 'seed', 'user']);
  });

  it.each([
    ['n', { n: 2 }],
    ['logprobs', { logprobs: true }],
    ['logit_bias', { logit_bias: { 1: 2 } }],
  ])('rejects %s as unsupported', async (param, request) => {
    expect(await expectRejected(request)).toEqual({
      code: 'unsupported_parameter',
      param,
      message: `${param} is not supported by the provider bedrock`,
    });
  });

  it.each(['.', '..'])('throws model_not_found for the path segment %s', async (model) => {
    expect(await expectRejected({ model })).toEqual({
      code: 'model_not_found',
      param: 'model',
      message: `The provider bedrock has no model ${model}`,
    });
  });
});

describe('Media sent to Bedrock', () => {
  it.each([
    ['image/png', 'png'],
    ['image/jpeg', 'jpeg'],
    ['image/jpg', 'jpeg'],
    ['image/gif', 'gif'],
    ['image/webp', 'webp'],
  ])('translates images of type %s to format %s', async (mediaType, format) => {
    expect(await contentFor(text('See'), image(dataUrl(mediaType)))).toEqual([
      {
        role: 'user',
        content: [{ text: 'See' }, { image: { format, source: { bytes: 'AAAA' } } }],
      },
    ]);
  });

  it('gives documents valid, unique names', async () => {
    const files = [
      'Q3 report.final.pdf',
      "John's  bill #4.pdf",
      'Q3 report.pdf',
      'résumé.pdf',
      undefined,
      '.pdf',
    ];
    const [message] = (await contentFor(text('Read'), ...files.slice(0, 5).map((name) => file(name)))) as [
      { content: { document?: { name: string } }[] },
    ];

    expect(message.content.flatMap(({ document }) => document?.name ?? [])).toEqual([
      'Q3 report final',
      'John s bill 4',
      'Q3 report',
      'r sum',
      'document',
    ]);
    expect(
      await contentFor(
        text('Read'),
        file('a.pdf'),
        file('a.txt', 'text/plain'),
        file('a.md', 'text/markdown'),
      ),
    ).toEqual([
      {
        role: 'user',
        content: [
          { text: 'Read' },
          { document: { name: 'a', format: 'pdf', source: { bytes: 'AAAA' } } },
          { document: { name: 'a (2)', format: 'txt', source: { bytes: 'AAAA' } } },
          { document: { name: 'a (3)', format: 'md', source: { bytes: 'AAAA' } } },
        ],
      },
    ]);
  });

  it('accepts 40,000 documents of the same name', () => {
    const content = Array.from({ length: 40_000 }, () => file('a.pdf'));
    const { body } = toConverseRequest(readRequest({ messages: [{ role: 'user', content }] }), novaTarget);
    expect(JSON.stringify(body).includes('"a (40000)"')).toBe(true);
  });

  it('accepts more parts in a merged turn than a function call accepts arguments', () => {
    const content = Array.from({ length: 200_000 }, () => text('a'));
    const messages = [hi, { role: 'assistant', content: '' }, { role: 'user', content }];
    const { body } = toConverseRequest(readRequest({ messages }), novaTarget);
    expect(JSON.stringify(body).split('{"text":"a"}').length - 1).toBe(200_000);
  });

  it('translates audio and video', async () => {
    const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
    const video = { type: 'video_url', video_url: { url: dataUrl('video/mp4', 'AAAA') } };

    expect(await contentFor(audio, video)).toEqual([
      {
        role: 'user',
        content: [
          { audio: { format: 'wav', source: { bytes: 'AAAA' } } },
          { video: { format: 'mp4', source: { bytes: 'AAAA' } } },
        ],
      },
    ]);
  });

  const param = 'messages[0].content[0]';
  it.each([
    [
      'a URL',
      image('https://example.com/a.png'),
      'unsupported_parameter',
      `${param} is a URL, which Bedrock does not fetch: send the content as a data URL`,
    ],
    [
      'an image of an unsupported type',
      image(dataUrl('image/tiff')),
      'unsupported_parameter',
      `${param} is of type image/tiff: Bedrock accepts png, jpeg, gif, webp`,
    ],
    [
      'not base64',
      image(dataUrl('image/png', 'not base64!')),
      'invalid_request_error',
      `${param} must contain base64 data`,
    ],
  ])('rejects media that is %s', async (_, part, code, message) => {
    expect(await expectRejected({ messages: [{ role: 'user', content: [part] }] })).toEqual({
      code,
      param,
      message,
    });
  });

  it('reports image_url.detail as ignored', async () => {
    const content = [image(dataUrl('image/png'), { detail: 'low' }), image(dataUrl('image/png'))];

    expect(await ignoredFor({ messages: [{ role: 'user', content }] })).toEqual(['image_url.detail']);
  });
});

describe('cache_control sent to Bedrock', () => {
  const weather = { type: 'function', function: { name: 'weather' }, ...hour };
  const withCacheControl = [
    { role: 'system', content: [text('Long', hour)] },
    { role: 'user', content: [text('Longer', ephemeral), text('Hi')] },
  ];

  it('adds a cache point after the marked block in tools, system and messages', async () => {
    expect(await bodyFor({ messages: withCacheControl, tools: [weather] })).toEqual({
      system: [{ text: 'Long' }, { cachePoint: { type: 'default', ttl: '1h' } }],
      messages: [{ role: 'user', content: [{ text: 'Longer' }, cachePoint, { text: 'Hi' }] }],
      toolConfig: {
        tools: [
          { toolSpec: { name: 'weather', inputSchema: { json: { type: 'object' } } } },
          { cachePoint: { type: 'default', ttl: '1h' } },
        ],
      },
    });
  });

  it('adds the cache point of an omitted blank text after the previous block', async () => {
    const [message] = (await contentFor(text('Longer'), text('\n', ephemeral), text('Hi'))) as object[];

    expect(message).toEqual({ role: 'user', content: [{ text: 'Longer' }, cachePoint, { text: 'Hi' }] });
  });

  it('adds cache points after tool calls and results', async () => {
    const call = { id: 'a', type: 'function', function: { name: 'weather', arguments: '{}' } };
    const messages = [
      hi,
      { role: 'assistant', content: null, tool_calls: [{ ...call, ...ephemeral }] },
      { role: 'tool', tool_call_id: 'a', content: '9 °C', ...ephemeral },
    ];

    const body = await bodyFor({ messages, tools: [{ ...weather, cache_control: undefined }] });

    expect(body.messages).toEqual([
      hiTurn,
      {
        role: 'assistant',
        content: [{ toolUse: { toolUseId: 'a', name: 'weather', input: {} } }, cachePoint],
      },
      {
        role: 'user',
        content: [{ toolResult: { toolUseId: 'a', content: [{ text: '9 °C' }] } }, cachePoint],
      },
    ]);
  });

  it('reports cache_control of tools as ignored for Nova', async () => {
    const messages = [{ role: 'system', content: [text('Long', ephemeral)] }, hi];
    const request = { model: nova, messages, tools: [{ ...weather, ...ephemeral }] };

    expect(await expectAccepted(upstream, request)).toEqual({
      body: {
        system: [{ text: 'Long' }, cachePoint],
        messages: [hiTurn],
        toolConfig: {
          tools: [{ toolSpec: { name: 'weather', inputSchema: { json: { type: 'object' } } } }],
        },
      },
      ignored: ['cache_control'],
    });
    expect(await ignoredFor({ model: nova, messages })).toEqual([]);
  });

  it.each([llama, 'anthropic.claude-3-haiku-20240307-v1:0'])(
    'reports cache_control as ignored for %s, which has no prompt caching',
    async (model) => {
      const { body, ignored } = await expectAccepted(upstream, { model, messages: withCacheControl });

      expect(body).toEqual({
        system: [{ text: 'Long' }],
        messages: [{ role: 'user', content: [{ text: 'Longer' }, { text: 'Hi' }] }],
      });
      expect(ignored).toEqual(['cache_control']);
    },
  );
});

describe('response_format sent to Bedrock', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { city: { type: 'string', description: 'Where' } },
    required: ['city'],
    additionalProperties: false,
  };
  const compiled =
    '{"type":"object","properties":{"city":{"type":"string","description":"Where"}},"required":["city"],"additionalProperties":false}';
  const json_schema = { name: 'report', description: 'A report', strict: true, schema };
  const jsonSchemaFormat = { response_format: { type: 'json_schema', json_schema } };
  const outputToolWith = (json: object) => ({
    toolSpec: { name: 'json_answer', description: 'A report', inputSchema: { json } },
  });
  const outputTool = outputToolWith(schema);
  const { $schema: _, additionalProperties: __, ...plainSchema } = schema;
  const novaOutputTool = outputToolWith(plainSchema);
  const weather = { type: 'function', function: { name: 'weather' } };
  const weatherSpec = { toolSpec: { name: 'weather', inputSchema: { json: { type: 'object' } } } };

  it('sends the schema as text without $schema', async () => {
    expect(await bodyFor(jsonSchemaFormat)).toEqual({
      messages: [hiTurn],
      outputConfig: {
        textFormat: {
          type: 'json_schema',
          structure: { jsonSchema: { name: 'report', description: 'A report', schema: compiled } },
        },
      },
    });
  });

  it('sends the schema to future Claude versions', async () => {
    const models = ['us.anthropic.claude-opus-5-6', 'us.anthropic.claude-haiku-6-20270101-v1:0'];
    const fieldNames = models.map((model) => {
      const target = { provider: 'bedrock', model };
      return Object.keys(toConverseRequest(readRequest(jsonSchemaFormat), target).body);
    });

    expect(fieldNames).toEqual([
      ['messages', 'outputConfig'],
      ['messages', 'outputConfig'],
    ]);
  });

  it.each([
    [opus, outputTool],
    [nova, novaOutputTool],
  ])('sends the schema as a tool that %s is forced to call', async (model, tool) => {
    expect(await bodyFor({ model, ...jsonSchemaFormat })).toEqual({
      messages: [hiTurn],
      toolConfig: { tools: [tool], toolChoice: { tool: { name: 'json_answer' } } },
    });
  });

  it('adds the output tool to the other tools and requires a call', async () => {
    expect((await bodyFor({ model: opus, ...jsonSchemaFormat, tools: [weather] })).toolConfig).toEqual({
      tools: [weatherSpec, outputTool],
      toolChoice: { any: {} },
    });
  });

  it('keeps the tool choice of the request when it names a function', async () => {
    const named = { type: 'function', function: { name: 'weather' } };
    const choices = await Promise.all(
      [named, 'none'].map(async (tool_choice) => {
        const { toolConfig } = await bodyFor({
          model: nova,
          ...jsonSchemaFormat,
          tools: [weather],
          tool_choice,
        });
        return toolConfig;
      }),
    );

    expect(choices).toEqual([
      { tools: [weatherSpec, novaOutputTool], toolChoice: { tool: { name: 'weather' } } },
      { tools: [weatherSpec, novaOutputTool], toolChoice: { tool: { name: 'json_answer' } } },
    ]);
  });

  it('gives the output tool a unique name', async () => {
    const tools = [{ type: 'function', function: { name: 'json_answer' } }];
    const { toolConfig } = await bodyFor({ model: nova, ...jsonSchemaFormat, tools });

    expect(toolConfig).toMatchObject({
      tools: [{ toolSpec: { name: 'json_answer' } }, { toolSpec: { name: 'json_answer_' } }],
    });
  });

  it('rejects a schema that is not an object when it is sent as a tool', async () => {
    const list = { name: 'list', schema: { type: 'array', items: { type: 'string' } } };
    const request = { model: nova, response_format: { type: 'json_schema', json_schema: list } };

    expect(await expectRejected(request)).toEqual({
      code: 'invalid_request_error',
      param: 'response_format.json_schema.schema',
      message: 'response_format.json_schema.schema must be of type object for this model',
    });
  });

  it('sends json_object as a system instruction', async () => {
    expect(await bodyFor({ response_format: { type: 'json_object' } })).toEqual({
      system: [
        {
          text: 'Answer with one JSON object and nothing else: no words before or after it, and no code fence around it.',
        },
      ],
      messages: [hiTurn],
    });
  });
});
