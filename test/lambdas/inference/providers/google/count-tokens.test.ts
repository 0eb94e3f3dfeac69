import { describe, expect, it } from 'vitest';
import { countRefusal, countTokens } from '#test/support/messages/count-tokens.ts';

const model = 'google/gemini-3.5-flash';
const messages = [{ role: 'user', content: 'Hi' }];

describe('The request to countTokens', () => {
  it('has everything of the request that is counted', async () => {
    const input_schema = { type: 'object', properties: { city: { type: 'string' } } };
    const { request, response } = await countTokens(
      {
        model,
        system: 'Be brief.',
        messages: [
          ...messages,
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 'a', name: 'look', input: { city: 'Rome' } }],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'a', content: 'Rain', is_error: true },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
            ],
          },
        ],
        tools: [{ name: 'look', input_schema }],
      },
      {
        callerHeaders: { 'user-agent': 'me', 'anthropic-version': '2023-06-01' },
        responses: [{ body: { totalTokens: 31, promptTokensDetails: [] } }],
      },
    );

    expect(request.url).toBe(
      'https://generativelanguage.googleapis.com/v1beta/models/gemini-3.5-flash:countTokens',
    );
    expect(request.headers).toEqual({
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'user-agent': 'me',
      'x-goog-api-key': 'sk-1',
    });
    expect(JSON.parse(request.body)).toEqual({
      generateContentRequest: {
        model: 'models/gemini-3.5-flash',
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        contents: [
          { role: 'user', parts: [{ text: 'Hi' }] },
          {
            role: 'model',
            parts: [
              {
                functionCall: { id: 'a', name: 'look', args: { city: 'Rome' } },
                thoughtSignature: 'skip_thought_signature_validator',
              },
            ],
          },
          {
            role: 'user',
            parts: [
              { functionResponse: { id: 'a', name: 'look', response: { error: 'Rain' } } },
              { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
            ],
          },
        ],
        tools: [{ functionDeclarations: [{ name: 'look', parametersJsonSchema: input_schema }] }],
      },
    });
    expect(response).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"input_tokens":31}',
    });
  });

  it('is not sent for a tool that Anthropic runs, nor for a result without a call', async () => {
    const search = { type: 'web_search_20250305', name: 'web_search' };
    expect(await countRefusal({ model, messages, tools: [search] })).toEqual({
      error: expect.objectContaining({ code: 'unsupported_parameter', param: 'tools.0.type' }),
      calls: 0,
    });
    const content = [{ type: 'tool_result', tool_use_id: 'a', content: 'Rain' }];
    expect(await countRefusal({ model, messages: [{ role: 'user', content }] })).toMatchObject({
      error: { param: 'messages.0.content.0.tool_use_id' },
      calls: 0,
    });
  });
});

describe('An error of countTokens', () => {
  it.each([
    [
      400,
      { code: 400, status: 'INVALID_ARGUMENT', message: 'contents is not specified' },
      { code: 'provider_rejected_request', status: 400, param: 'messages' },
    ],
    [
      404,
      {
        code: 404,
        status: 'NOT_FOUND',
        message: 'models/gemini-3.5-flash is not found for API version v1beta',
      },
      { code: 'model_not_found', status: 400 },
    ],
    [
      403,
      { code: 403, status: 'PERMISSION_DENIED', message: 'No' },
      { code: 'provider_authentication_failed', status: 502 },
    ],
  ])('of the status %i is one of the gateway', async (status, error, expected) => {
    expect(
      await countRefusal({ model, messages }, { responses: [{ status, body: { error } }] }),
    ).toMatchObject({
      error: expected,
      calls: 1,
    });
  });
});
