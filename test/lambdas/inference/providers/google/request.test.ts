import { describe, expect, it } from 'vitest';
import { acceptedBody, callGoogle } from '#test/support/providers/google/call.ts';

const models = 'https://generativelanguage.googleapis.com/v1beta/models';
const hi = [{ role: 'user', parts: [{ text: 'Hi' }] }];
const png = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };

async function bodyFor(messages: object[], fields: object = {}) {
  return await acceptedBody({ messages, ...fields });
}
async function contentsFor(...content: object[]) {
  const { contents } = await bodyFor([{ role: 'user', content }]);
  return contents;
}

describe('Requests to Google', () => {
  it('sends the API key and only allow-listed caller headers to the URL of the model', async () => {
    const callerHeaders = { authorization: 'Bearer pt_live_1', 'user-agent': 'test/1', 'x-session-id': 's1' };
    const { outgoing } = await callGoogle({}, { callerHeaders });

    expect(outgoing.url.href).toBe(`${models}/gemini-3.5-flash:generateContent`);
    expect(outgoing.headers).toEqual({
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'test/1',
      'x-goog-api-key': 'sk-1',
    });
  });

  it('sends no key header without an API key', async () => {
    const { outgoing } = await callGoogle({}, { apiKey: null });

    expect(outgoing.headers).toEqual({ 'content-type': 'application/json', 'accept-encoding': 'identity' });
  });

  it('requests a stream by URL', async () => {
    const { outgoing, body } = await callGoogle({ stream: true, stream_options: { include_usage: true } });

    expect(outgoing.url.href).toBe(`${models}/gemini-3.5-flash:streamGenerateContent?alt=sse`);
    expect(body).toEqual({ contents: hi });
  });

  it.each([
    ['models/gemini-2.5-pro', 'models/gemini-2.5-pro:generateContent'],
    ['tunedModels/a-poet', 'tunedModels/a-poet:generateContent'],
    ['../../v1/corpora/x', 'models/..%2F..%2Fv1%2Fcorpora%2Fx:generateContent'],
    ['models/../x', 'models/..%2Fx:generateContent'],
    ['x?key=y#z', 'models/x%3Fkey%3Dy%23z:generateContent'],
    ['größe 1', 'models/gr%C3%B6%C3%9Fe%201:generateContent'],
  ])('encodes the model %s in the URL path', async (model, path) => {
    const { outgoing } = await callGoogle({ model });

    expect(outgoing.url.href).toBe(`https://generativelanguage.googleapis.com/v1beta/${path}`);
  });

  it('sends no default or null parameters', async () => {
    const { outgoing, ignoredParameters } = await callGoogle({ n: 1, temperature: null, tools: [] });

    expect(outgoing.body).toBe('{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}');
    expect(ignoredParameters).toEqual([]);
  });

  it('translates every supported parameter', async () => {
    const body = await acceptedBody({
      model: 'gemini-2.0-flash',
      max_completion_tokens: 500,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      stop: 'END',
      n: 2,
      seed: 7,
      presence_penalty: 0.1,
      frequency_penalty: -0.2,
      response_format: { type: 'json_object' },
    });

    expect(body).toEqual({
      contents: hi,
      generationConfig: {
        candidateCount: 2,
        maxOutputTokens: 500,
        stopSequences: ['END'],
        temperature: 0.5,
        topP: 0.9,
        topK: 40,
        seed: 7,
        presencePenalty: 0.1,
        frequencyPenalty: -0.2,
        responseMimeType: 'application/json',
      },
    });
  });

  it('translates max_tokens and several stop sequences', async () => {
    expect(await acceptedBody({ max_tokens: 5, stop: ['a', 'b'] })).toEqual({
      contents: hi,
      generationConfig: { maxOutputTokens: 5, stopSequences: ['a', 'b'] },
    });
  });

  it('sends out-of-range and zero values unchanged', async () => {
    const { body } = await callGoogle({
      temperature: 3,
      top_p: 1,
      n: 99,
      seed: 0,
      max_tokens: 0,
      stop: [''],
    });

    expect(body.generationConfig).toEqual({
      candidateCount: 99,
      maxOutputTokens: 0,
      stopSequences: [''],
      temperature: 3,
      topP: 1,
      seed: 0,
    });
  });

  it('sends a response schema unchanged, except const, which Google ignores', async () => {
    const schema = {
      $defs: { kind: { const: 'a' } },
      type: 'object',
      properties: {
        const: { $ref: '#/$defs/kind' },
        kinds: { type: ['array', 'null'], items: { anyOf: [{ const: 1 }, { const: true }] } },
      },
      required: ['const'],
      additionalProperties: false,
      default: { const: 'a' },
    };
    const response_format = { type: 'json_schema', json_schema: { name: 'kinds', strict: true, schema } };

    expect(await acceptedBody({ response_format })).toEqual({
      contents: hi,
      generationConfig: {
        responseMimeType: 'application/json',
        responseJsonSchema: {
          ...schema,
          $defs: { kind: { enum: ['a'] } },
          properties: {
            const: { $ref: '#/$defs/kind' },
            kinds: { type: ['array', 'null'], items: { anyOf: [{ enum: [1] }, { const: true }] } },
          },
        },
      },
    });
  });

  it('adds the description of the response format to its schema, unless that has its own', async () => {
    const responseSchemaFor = async (schema: object) => {
      const json_schema = { name: 'x', description: 'An answer', schema };
      const body = await acceptedBody({ response_format: { type: 'json_schema', json_schema } });
      return (body.generationConfig as { responseJsonSchema: object }).responseJsonSchema;
    };

    expect(await responseSchemaFor({ type: 'object' })).toEqual({ type: 'object', description: 'An answer' });
    expect(await responseSchemaFor({ description: 'Mine' })).toEqual({ description: 'Mine' });
  });

  it("renames definitions, which OpenAI's SDKs write, to $defs", async () => {
    const node = { type: 'object', properties: { next: { $ref: '#/definitions/node' } } };
    const properties = { definitions: { $ref: '#/definitions/node' }, kind: { $ref: '#/$defs/kind' } };
    const schema = {
      type: 'object',
      properties,
      definitions: { node, kind: { const: 'a' } },
      $defs: { kind: { const: 'b' } },
    };
    const response_format = { type: 'json_schema', json_schema: { name: 'list', schema } };

    expect(await acceptedBody({ response_format })).toMatchObject({
      generationConfig: {
        responseJsonSchema: {
          type: 'object',
          properties: { definitions: { $ref: '#/$defs/node' }, kind: { $ref: '#/$defs/kind' } },
          $defs: {
            node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } },
            kind: { enum: ['b'] },
          },
        },
      },
    });
  });

  it('reports ignored parameters', async () => {
    const { body, ignoredParameters } = await callGoogle({
      model: 'gemini-2.5-flash',
      user: 'user-1',
      store: true,
      service_tier: 'flex',
      presence_penalty: 0.5,
      frequency_penalty: 0,
      parallel_tool_calls: false,
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Brief.', cache_control: { type: 'ephemeral' } }] },
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { ...png.image_url, detail: 'high' } },
            { type: 'image_url', image_url: { ...png.image_url, detail: 'auto' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
          ],
        },
      ],
    });

    expect([...ignoredParameters].sort()).toEqual([
      'cache_control',
      'file.filename',
      'image_url.detail',
      'presence_penalty',
      'service_tier',
      'store',
      'user',
    ]);
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: 'Brief.' }] },
      contents: [
        {
          role: 'user',
          parts: [
            { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
            { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
            { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } },
          ],
        },
      ],
    });
  });

  it('reports images of assistant messages as ignored', async () => {
    const messages = [
      { role: 'user', content: 'A cat' },
      { role: 'assistant', content: 'Here:', images: [png] },
      { role: 'assistant', content: 'Nice?', images: [] },
      { role: 'user', content: 'Now in blue' },
    ];

    expect((await callGoogle({ messages })).ignoredParameters).toEqual(['messages.images']);
    expect((await callGoogle({ messages: messages.toSpliced(1, 1) })).ignoredParameters).toEqual([]);
  });

  it.each([
    ['tools', { tools: [{ type: 'function', function: { name: 'f' }, cache_control: {} }] }],
    [
      'a tool result',
      {
        messages: [
          { role: 'user', content: 'Hi' },
          {
            role: 'assistant',
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'c', content: 'x', cache_control: {} },
        ],
      },
    ],
    [
      'a tool call',
      {
        messages: [
          { role: 'user', content: 'Hi' },
          {
            role: 'assistant',
            cache_control: {},
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'c', content: 'x' },
        ],
      },
    ],
  ])('reports cache_control on %s as ignored', async (_case, request) => {
    expect((await callGoogle(request)).ignoredParameters).toEqual(['cache_control']);
  });

  it.each([
    ['logprobs', { logprobs: true }],
    ['logit_bias', { logit_bias: { 50256: -100 } }],
    ['modalities', { modalities: ['text', 'audio'] }],
    ['web_search_options', { web_search_options: {} }],
    [
      'parallel_tool_calls',
      { parallel_tool_calls: false, tools: [{ type: 'function', function: { name: 'f' } }] },
    ],
  ])('rejects %s as unsupported', async (param, request) => {
    await expect(callGoogle(request)).rejects.toMatchObject({ code: 'unsupported_parameter', param });
  });
});

describe('Conversations sent to Google', () => {
  it('sends system and developer messages as systemInstruction, in order', async () => {
    const body = await bodyFor([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
      { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
      { role: 'user', content: 'Bye' },
    ]);

    expect(body).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'Be kind.' }] },
      contents: [
        ...hi,
        { role: 'model', parts: [{ text: 'Hello' }] },
        { role: 'user', parts: [{ text: 'Bye' }] },
      ],
    });
  });

  it('merges consecutive messages of one role into one turn', async () => {
    const body = await bodyFor([
      { role: 'user', content: 'A' },
      { role: 'user', content: [{ type: 'text', text: 'B' }] },
      { role: 'assistant', content: 'C' },
      { role: 'assistant', content: null, refusal: 'D' },
      { role: 'user', content: 'E' },
    ]);

    expect(body.contents).toEqual([
      { role: 'user', parts: [{ text: 'A' }, { text: 'B' }] },
      { role: 'model', parts: [{ text: 'C' }, { text: 'D' }] },
      { role: 'user', parts: [{ text: 'E' }] },
    ]);
  });

  it('omits empty assistant messages and keeps empty user messages', async () => {
    const body = await bodyFor([
      { role: 'user', content: 'A' },
      { role: 'assistant', content: '' },
      { role: 'user', content: '' },
    ]);

    expect(body.contents).toEqual([
      { role: 'user', parts: [{ text: 'A' }] },
      { role: 'user', parts: [{ text: '' }] },
    ]);
  });

  it('sends a lone system message as a user message', async () => {
    expect(await bodyFor([{ role: 'system', content: 'Greet me.' }])).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Greet me.' }] }],
    });
  });

  it('sends system messages as the first user turn to models without systemInstruction', async () => {
    const model = 'gemma-4-31b-it';
    const system = { role: 'system', content: 'Be brief.' };

    expect(await bodyFor([system, { role: 'user', content: 'Hi' }], { model })).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Be brief.' }, { text: 'Hi' }] }],
    });
    const greetedFirst = [system, { role: 'assistant', content: 'Hello' }, { role: 'user', content: 'Hi' }];
    expect(await bodyFor(greetedFirst, { model })).toEqual({
      contents: [
        { role: 'user', parts: [{ text: 'Be brief.' }] },
        { role: 'model', parts: [{ text: 'Hello' }] },
        ...hi,
      ],
    });
  });

  it('translates images, audio, video and files', async () => {
    const contents = await contentsFor(
      { type: 'text', text: 'Look' },
      png,
      { type: 'image_url', image_url: { url: 'https://example.com/a/b.JPG?x=1.png' } },
      { type: 'image_url', image_url: { url: 'https://example.com/image' } },
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
      { type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } },
      { type: 'file', file: { file_data: 'https://example.com/a.pdf#page=2' } },
      { type: 'video_url', video_url: { url: 'https://www.youtube.com/watch?v=9hE5' } },
    );

    expect(contents).toEqual([
      {
        role: 'user',
        parts: [
          { text: 'Look' },
          { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
          { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.com/a/b.JPG?x=1.png' } },
          { fileData: { fileUri: 'https://example.com/image' } },
          { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } },
          { inlineData: { mimeType: 'audio/mp3', data: 'SUQz' } },
          { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } },
          { fileData: { mimeType: 'application/pdf', fileUri: 'https://example.com/a.pdf#page=2' } },
          { fileData: { fileUri: 'https://www.youtube.com/watch?v=9hE5' } },
        ],
      },
    ]);
  });

  it('rejects the file_id of a file uploaded to OpenAI', async () => {
    const content = [{ type: 'file', file: { file_id: 'file-1' } }];

    await expect(callGoogle({ messages: [{ role: 'user', content }] })).rejects.toMatchObject({
      param: 'messages[0].content[0].file.file_id',
    });
  });
});

describe('Google-specific fields of a request', () => {
  const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];

  it('merges Google fields into the translated request and prefers them', async () => {
    const body = await acceptedBody({
      temperature: 0.5,
      max_tokens: 10,
      generationConfig: { temperature: 0.7, mediaResolution: 'MEDIA_RESOLUTION_LOW' },
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      cachedContent: 'cachedContents/x1',
    });

    expect(body).toEqual({
      contents,
      generationConfig: { temperature: 0.7, maxOutputTokens: 10, mediaResolution: 'MEDIA_RESOLUTION_LOW' },
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      cachedContent: 'cachedContents/x1',
    });
  });

  it('converts snake_case Google fields to camelCase', async () => {
    const tools = [{ type: 'function', function: { name: 'my_function' } }];
    const body = await acceptedBody({
      temperature: 0.5,
      tools,
      tool_choice: 'required',
      tool_config: { function_calling_config: { allowed_function_names: ['my_function'] } },
      generation_config: { top_k: 3, temperature: 1, thinking_config: { thinking_level: 'low' } },
    });

    expect(body).toMatchObject({
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['my_function'] } },
      generationConfig: { topK: 3, temperature: 1, thinkingConfig: { thinkingLevel: 'low' } },
    });
    expect(body).not.toHaveProperty('generation_config');
  });

  it("accepts extra_body.google as Google's OpenAI endpoint does", async () => {
    const extra_body = {
      google: {
        thinking_config: { thinking_budget: 100, include_thoughts: true },
        cached_content: 'cachedContents/x1',
      },
    };
    const { body, ignoredParameters } = await callGoogle({ model: 'gemini-2.5-flash', extra_body });

    expect(body).toEqual({
      contents,
      generationConfig: { thinkingConfig: { thinkingBudget: 100, includeThoughts: true } },
      cachedContent: 'cachedContents/x1',
    });
    expect(ignoredParameters).toEqual([]);
  });

  it('prefers top-level Google fields over extra_body.google', async () => {
    const { body } = await callGoogle({
      model: 'gemini-2.5-flash',
      generationConfig: { thinkingConfig: { thinkingBudget: 1 } },
      extra_body: { google: { thinking_config: { thinking_budget: 2 } } },
    });

    expect(body).toMatchObject({ generationConfig: { thinkingConfig: { thinkingBudget: 1 } } });
  });

  it('prefers thinkingConfig over reasoning_effort, which is reported as ignored', async () => {
    const model = 'gemini-2.5-flash';
    const thinkingConfig = { thinkingBudget: 100 };
    const { body, ignoredParameters } = await callGoogle({
      model,
      reasoning_effort: 'high',
      generationConfig: { thinkingConfig },
    });

    expect(body).toEqual({ contents, generationConfig: { thinkingConfig } });
    expect(ignoredParameters).toEqual(['reasoning_effort']);
  });

  it('keeps reasoning_effort when thinkingConfig sets neither level nor budget', async () => {
    const body = await acceptedBody({
      reasoning_effort: 'low',
      generationConfig: { thinkingConfig: { includeThoughts: false } },
    });

    expect(body).toEqual({
      contents,
      generationConfig: { thinkingConfig: { thinkingLevel: 'low', includeThoughts: false } },
    });
  });

  it.each([
    [{ n: 2, max_tokens: 10 }, 10, 2],
    [{ max_completion_tokens: 10, max_tokens: 20 }, 10, 1],
    [{ n: 2, max_tokens: 10, generationConfig: { maxOutputTokens: 65_536, candidateCount: 8 } }, 65_536, 8],
    [{ max_tokens: 10, generation_config: { max_output_tokens: 65_536, candidate_count: 8 } }, 65_536, 8],
    [{ max_tokens: 10, extra_body: { google: { generation_config: { candidate_count: 8 } } } }, 10, 8],
    // Google accepts text as numbers.
    [{ n: 2, generationConfig: { maxOutputTokens: '65536', candidateCount: '8' } }, 65_536, 8],
    [{ n: 2, max_tokens: 10, generationConfig: null }, null, 1],
    [{ n: -1, max_tokens: 0 }, null, 1],
    [{ generationConfig: { maxOutputTokens: {}, candidateCount: [8] } }, null, 1],
    [{}, null, 1],
  ])('states the limits that it sends for %j', async (fields, maxOutputTokens, completions) => {
    expect((await callGoogle(fields)).outputLimit).toEqual({ maxOutputTokens, completions });
  });

  it('forwards unknown fields', async () => {
    const { body } = await callGoogle({ extra_body: {}, unheard_of: { a_b: 1 } });

    expect(body).toEqual({ contents, unheardOf: { a_b: 1 } });
  });

  it.each([
    ['extra_body', 'x'],
    ['extra_body.google', { google: 'x' }],
    ['extra_body.other', { google: {}, other: 1 }],
  ])('rejects a malformed %s', async (param, extra_body) => {
    await expect(callGoogle({ extra_body })).rejects.toMatchObject({ status: 400, param });
  });
});
