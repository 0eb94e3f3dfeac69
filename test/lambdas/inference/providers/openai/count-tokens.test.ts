import { describe, expect, it } from 'vitest';
import { countRefusal, countTokens } from '#test/support/messages/count-tokens.ts';

const model = 'openai/gpt-5.2';
const messages = [{ role: 'user', content: 'Hi' }];
const count = { body: { object: 'response.input_tokens', input_tokens: 42 } };
const question = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] };

const bodyFor = async (fields: object) => {
  const { request } = await countTokens({ model, messages, ...fields }, { responses: [count] });
  return JSON.parse(request.body);
};

describe("The request to OpenAI's counter", () => {
  it('goes to the Responses API', async () => {
    const { request, response } = await countTokens(
      { model, messages },
      { callerHeaders: { 'user-agent': 'me', 'anthropic-version': '2023-06-01' }, responses: [count] },
    );

    expect(request).toEqual({
      url: 'https://api.openai.com/v1/responses/input_tokens',
      headers: {
        'accept-encoding': 'identity',
        authorization: 'Bearer sk-1',
        'content-type': 'application/json',
        'user-agent': 'me',
      },
      body: JSON.stringify({ model: 'gpt-5.2', input: [question] }),
    });
    expect(response).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"input_tokens":42}',
    });
  });

  it('goes to the resource at Azure', async () => {
    const { request } = await countTokens(
      { model: 'azure/gpt-5.2', messages },
      {
        settings: { azure: { baseUrl: 'https://mine.openai.azure.com/openai/v1' } },
        responses: [count],
      },
    );
    expect(request.url).toBe('https://mine.openai.azure.com/openai/v1/responses/input_tokens');
    expect(request.headers['api-key']).toBe('sk-1');
  });

  it('has the instructions, the turns and the calls as items', async () => {
    expect(
      await bodyFor({
        system: [
          { type: 'text', text: 'Be brief.' },
          { type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } },
        ],
        messages: [
          ...messages,
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'Hm', signature: 's' },
              { type: 'text', text: 'Well' },
              { type: 'tool_use', id: 'a', name: 'look', input: { city: 'Rome' } },
              { type: 'tool_use', id: 'b', name: 'look', input: {} },
              { type: 'tool_use', id: 'c', name: 'look', input: {} },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'a', content: 'Rain' },
              {
                type: 'tool_result',
                tool_use_id: 'b',
                content: [
                  { type: 'text', text: 'See' },
                  { type: 'image', source: { type: 'url', url: 'https://x.example/y.png' } },
                ],
              },
              { type: 'tool_result', tool_use_id: 'c' },
            ],
          },
          { role: 'system', content: 'Now in French.' },
        ],
      }),
    ).toEqual({
      model: 'gpt-5.2',
      instructions: 'Be brief.\n\nBe kind.',
      input: [
        question,
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Well' }] },
        { type: 'function_call', call_id: 'a', name: 'look', arguments: '{"city":"Rome"}' },
        { type: 'function_call', call_id: 'b', name: 'look', arguments: '{}' },
        { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' },
        { type: 'function_call_output', call_id: 'a', output: 'Rain' },
        {
          type: 'function_call_output',
          call_id: 'b',
          output: [
            { type: 'input_text', text: 'See' },
            { type: 'input_image', image_url: 'https://x.example/y.png', detail: 'auto' },
          ],
        },
        { type: 'function_call_output', call_id: 'c', output: '' },
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Now in French.' }] },
      ],
    });
  });

  it('has images and documents as parts', async () => {
    const document = (source: object, fields: object = {}) => ({ type: 'document', source, ...fields });
    const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0x' };
    const content = [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
      document(pdf),
      document(pdf, { title: 'report.pdf' }),
      document({ type: 'url', url: 'https://x.example/y.pdf' }),
      document({ type: 'text', media_type: 'text/plain', data: 'Grüße' }),
    ];
    const { input } = await bodyFor({ messages: [{ role: 'user', content }] });
    expect(input[0].content).toEqual([
      { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'auto' },
      { type: 'input_file', filename: 'document.pdf', file_data: 'data:application/pdf;base64,JVBERi0x' },
      { type: 'input_file', filename: 'report.pdf', file_data: 'data:application/pdf;base64,JVBERi0x' },
      { type: 'input_file', file_url: 'https://x.example/y.pdf' },
      { type: 'input_text', text: 'Grüße' },
    ]);
  });

  it('has the tools and their choice, the effort and the format', async () => {
    const schema = { type: 'object', properties: {}, additionalProperties: false };
    const tools = [
      { name: 'look', description: 'Looks', input_schema: schema, strict: true },
      { name: 'a.b', input_schema: schema },
    ];
    expect(
      await bodyFor({
        tools,
        tool_choice: { type: 'tool', name: 'a.b', disable_parallel_tool_use: true },
        thinking: { type: 'enabled', budget_tokens: 1024 },
        output_config: { format: { type: 'json_schema', schema } },
        max_tokens: 16,
        temperature: 0.5,
        metadata: { user_id: 'ada' },
        context_management: { edits: [{}] },
      }),
    ).toEqual({
      model: 'gpt-5.2',
      input: [question],
      tools: [
        { type: 'function', name: 'look', description: 'Looks', parameters: schema, strict: true },
        { type: 'function', name: 'a_b', parameters: schema, strict: false },
      ],
      tool_choice: { type: 'function', name: 'a_b' },
      reasoning: { effort: 'low' },
      text: { format: { type: 'json_schema', name: 'output', schema, strict: true } },
    });
    expect(await bodyFor({ tools: tools.slice(0, 1), tool_choice: { type: 'any' } })).toMatchObject({
      tool_choice: 'required',
    });
  });

  it.each([
    [{ mcp_servers: [{ name: 'x' }] }, 'mcp_servers'],
    [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'tools.0.type'],
  ])('is not sent with %j, which only Anthropic has', async (fields, param) => {
    expect(await countRefusal({ model, messages, ...fields })).toEqual({
      error: expect.objectContaining({ code: 'unsupported_parameter', param }),
      calls: 0,
    });
  });
});

describe("An error of OpenAI's counter", () => {
  it.each([
    [400, { message: 'Invalid value' }, { code: 'provider_rejected_request', status: 400 }],
    [401, { message: 'Incorrect API key' }, { code: 'provider_authentication_failed', status: 502 }],
    [
      404,
      { message: 'The model `gpt-5.2` does not exist', code: 'model_not_found' },
      { code: 'model_not_found', status: 400 },
    ],
    [500, { message: 'Server error' }, { code: 'provider_error', status: 502 }],
  ])('of the status %i is one of the gateway', async (status, error, expected) => {
    expect(
      await countRefusal({ model, messages }, { responses: [{ status, body: { error } }] }),
    ).toMatchObject({
      error: expected,
      calls: 1,
    });
  });
});
