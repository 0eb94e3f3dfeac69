import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixturesOf } from '../fixture.ts';
import { type GoogleUpstream, startGoogleUpstream } from './google-protocol.ts';

let upstream: GoogleUpstream;

beforeEach(async () => {
  upstream = await startGoogleUpstream();
});

afterEach(async () => {
  await upstream.stop();
});

type Json = Record<string, unknown>;

const question = { contents: [{ role: 'user', parts: [{ text: 'Weather in Oslo?' }] }] };
const call = { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: 'Oslo' } } }] };
const result = {
  role: 'user',
  parts: [{ functionResponse: { name: 'weather', response: { sky: 'grey' } } }],
};
const weather = { functionDeclarations: [{ name: 'weather' }] };

interface GeminiAnswer {
  candidates: {
    content: { parts: { text?: string }[]; role: string };
    finishReason?: string;
    index: number;
  }[];
  usageMetadata: { candidatesTokenCount: number };
  modelVersion: string;
}

interface Ask {
  model?: string;
  method?: string;
  headers?: Record<string, string>;
}

function post(body: unknown, { model = 'gemini-2.5-flash', method = 'generateContent', headers }: Ask = {}) {
  return fetch(`${upstream.baseUrl}/models/${model}:${method}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'x-goog-api-key': 'key', ...headers },
  });
}

const streamed = { method: 'streamGenerateContent?alt=sse' };

async function answerTo(body: unknown, ask?: Ask): Promise<GeminiAnswer> {
  const response = await post(body, ask);
  expect(response.status).toBe(200);
  return (await response.json()) as GeminiAnswer;
}

async function chunksOf(body: unknown, ask: Ask = {}): Promise<GeminiAnswer[]> {
  const text = await (await post(body, { ...streamed, ...ask })).text();
  return text.split('\r\n\r\n').flatMap((event) => (event === '' ? [] : [JSON.parse(event.slice(6))]));
}

async function refusalOf(body: unknown, ask?: Ask): Promise<[status: number, error: Json]> {
  const response = await post(body, ask);
  return [response.status, await errorIn(response)];
}

async function errorIn(response: Response): Promise<Json> {
  return ((await response.json()) as { error: Json }).error;
}

describe('without a fixture the fake', () => {
  it('answers as Gemini does, without a request id', async () => {
    const response = await post(question);

    expect(response.headers.get('content-type')).toBe('application/json; charset=UTF-8');
    expect(response.headers.has('x-request-id')).toBe(false);
    expect(await response.json()).toEqual({
      candidates: [
        {
          content: { parts: [{ text: 'Hello there, I am here.' }], role: 'model' },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      usageMetadata: {
        promptTokenCount: 11,
        candidatesTokenCount: 5,
        totalTokenCount: 16,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: 11 }],
        serviceTier: 'standard',
      },
      modelVersion: 'gemini-2.5-flash',
      responseId: 'MDAwMDAwMDAwMDAwMDAwMDE',
    });
  });

  it('streams with usage on every chunk, and the reason on the last', async () => {
    const chunks = await chunksOf(question, { model: 'gemini-flash-latest' });

    expect(chunks.map(({ usageMetadata }) => usageMetadata.candidatesTokenCount)).toEqual([1, 2, 3, 4, 5, 5]);
    expect(chunks.map(({ candidates }) => candidates[0]?.finishReason)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      'STOP',
    ]);
    expect(chunks.at(-1)?.candidates[0]?.content.parts).toEqual([
      { text: '', thoughtSignature: expect.any(String) },
    ]);
    expect(chunks[0]?.modelVersion).toBe('gemini-3.8-flash');
  });

  it('streams a JSON list to whoever did not ask for events', async () => {
    expect(await answerTo(question, { method: 'streamGenerateContent' })).toHaveLength(6);
  });

  it('repeats the last user text', async () => {
    upstream.behaviour = { echo: true };

    const texts = (await chunksOf(question)).map(({ candidates }) => candidates[0]?.content.parts[0]?.text);

    expect(texts).toEqual(['You', ' said:', ' Weather', ' in', ' Oslo?', '']);
  });

  it('calls a tool, with id and signature from Gemini 3 on, and takes its result', async () => {
    const request = { ...question, tools: [weather] };
    const { candidates } = await answerTo(request, { model: 'gemini-3.5-flash' });
    const { content, finishReason } = candidates[0] ?? {};

    expect(finishReason).toBe('STOP');
    expect(content?.parts).toEqual([
      {
        functionCall: { name: 'weather', args: { city: 'Oslo' }, id: '00000001' },
        thoughtSignature: expect.any(String),
      },
    ]);
    const next = { ...request, contents: [...question.contents, content, result] };
    const answer = await answerTo(next, { model: 'gemini-3.5-flash' });
    expect(answer.candidates[0]?.content.parts[0]?.text).toBe('Hello there, I am here.');
    const none = { ...request, toolConfig: { functionCallingConfig: { mode: 'NONE' } } };
    expect((await answerTo(none)).candidates[0]?.content.parts[0]?.text).toBe('Hello there, I am here.');
    expect((await answerTo(request)).candidates[0]?.content.parts).toEqual(call.parts);
  });

  it.each([
    [{ responseSchema: { type: 'OBJECT', properties: { a: { type: 'INTEGER' } } } }],
    [{ responseJsonSchema: { type: 'object', properties: { a: { type: 'integer' } } } }],
  ])('answers in JSON by the schema %j', async (schema) => {
    const generationConfig = { responseMimeType: 'application/json', ...schema };

    const { candidates } = await answerTo({ ...question, generationConfig });

    expect(candidates[0]?.content.parts).toEqual([{ text: '{"a":1}' }]);
  });

  it('gives as many candidates as were asked for', async () => {
    const { candidates } = await answerTo({ ...question, generationConfig: { candidateCount: 3 } });

    expect(candidates.map(({ index }) => index)).toEqual([0, 1, 2]);
  });

  it('reads both spellings, numbers as texts, and one value for a list', async () => {
    const body = {
      system_instruction: { parts: { text: 'Brief.' } },
      contents: {
        parts: [{ inline_data: { mime_type: 'image/png', data: 'iVBORw0KGgo=' } }, { text: 'What?' }],
      },
      generation_config: {
        max_output_tokens: '20',
        top_p: '0.5',
        response_format: { text: { mime_type: 'APPLICATION_JSON', schema: { type: 'object', $ref: '#' } } },
        thinking_config: null,
      },
    };

    expect((await answerTo(body)).candidates[0]?.content.parts).toEqual([{ text: '{}' }]);
  });
});

describe('what is no message', () => {
  it.each([
    [
      'an unknown field',
      { ...question, n: 2 },
      '',
      'Invalid JSON payload received. Unknown name "n": Cannot find field.',
    ],
    [
      'an unknown field deep inside',
      { ...question, generationConfig: { thinkingConfig: { effort: 'low' } } },
      'generation_config.thinking_config',
      `Invalid JSON payload received. Unknown name "effort" at 'generation_config.thinking_config': Cannot find field.`,
    ],
    [
      'a schema keyword outside the subset',
      {
        ...question,
        tools: [
          {
            functionDeclarations: [
              { name: 'f', parameters: { type: 'object', properties: { a: { $ref: '#' } } } },
            ],
          },
        ],
      },
      'tools[0].function_declarations[0].parameters.properties[0].value',
      `Invalid JSON payload received. Unknown name "$ref" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.`,
    ],
    [
      'a list of types',
      { ...question, generationConfig: { responseSchema: { type: ['string', 'null'] } } },
      'generation_config.response_schema',
      `Invalid JSON payload received. Unknown name "type" at 'generation_config.response_schema': Proto field is not repeating, cannot start list.`,
    ],
    [
      'a value of another type',
      { ...question, generationConfig: { maxOutputTokens: 1.5 } },
      'generation_config.max_output_tokens',
      "Invalid value at 'generation_config.max_output_tokens' (TYPE_INT32), 1.5",
    ],
    [
      'a level that there is not',
      { ...question, generationConfig: { thinkingConfig: { thinkingLevel: 'max' } } },
      'generation_config.thinking_config.thinking_level',
      `Invalid value at 'generation_config.thinking_config.thinking_level' (type.googleapis.com/google.ai.generativelanguage.v1beta.ThinkingLevel), "max"`,
    ],
    [
      'a result that is text',
      { contents: [{ parts: [{ functionResponse: { name: 'f', response: 'x' } }] }] },
      'contents[0].parts[0].function_response.response',
      `Invalid value at 'contents[0].parts[0].function_response.response' (type.googleapis.com/google.protobuf.Struct), "x"`,
    ],
    [
      'a part with two kinds of data',
      { contents: [{ parts: [{ text: 'a', functionCall: { name: 'f' } }] }] },
      'contents[0].parts[0]',
      "Invalid value at 'contents[0].parts[0]' (oneof), oneof field 'data' is already set. Cannot set 'functionCall'",
    ],
  ])('is refused: %s', async (_case, body, field, description) => {
    const [status, error] = await refusalOf(body, { headers: { 'x-goog-api-key': 'whichever' } });

    expect(status).toBe(400);
    expect(error).toEqual({
      code: 400,
      message: description,
      status: 'INVALID_ARGUMENT',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ ...(field !== '' && { field }), description }],
        },
      ],
    });
  });
});

describe('a caller', () => {
  it('needs the right key, in its header or the query', async () => {
    upstream.behaviour = { expectedApiKey: 'right' };
    const send = (headers: Record<string, string>, query = '') =>
      fetch(`${upstream.baseUrl}/models/gemini-2.5-flash:generateContent${query}`, {
        method: 'POST',
        body: JSON.stringify(question),
        headers,
      });

    const wrong = await send({ 'x-goog-api-key': 'wrong' });
    expect(wrong.status).toBe(400);
    expect(await errorIn(wrong)).toMatchObject({
      message: 'API key not valid. Please pass a valid API key.',
      status: 'INVALID_ARGUMENT',
      details: [{ reason: 'API_KEY_INVALID' }, {}],
    });
    expect((await send({})).status).toBe(403);
    expect((await send({ authorization: 'Bearer right' })).status).toBe(401);
    expect((await send({ 'x-goog-api-key': 'right' })).status).toBe(200);
    expect((await send({}, '?key=right')).status).toBe(200);
  });

  it('is told of a model that there is not, and of a URL that there is not', async () => {
    upstream.behaviour = { unknownModels: ['gemini-1.0-pro'] };

    const [status, error] = await refusalOf(question, { model: 'gemini-1.0-pro' });

    expect(status).toBe(404);
    expect(error).toEqual({
      code: 404,
      message:
        'models/gemini-1.0-pro is not found for API version v1beta, or is not supported for generateContent. Call ModelService.ListModels to see the list of available models and their supported methods.',
      status: 'NOT_FOUND',
    });
    expect((await refusalOf(question, { model: 'gpt-4o' }))[0]).toBe(404);
    expect((await post(question, { model: 'models/gemini-2.5-flash' })).status).toBe(404);
  });

  it('gets the error under the type of the stream that it asked for', async () => {
    const response = await post({}, streamed);

    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect((await errorIn(response)).message).toBe(
      '* GenerateContentRequest.contents: contents is not specified\n',
    );
  });
});

const follows =
  'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
const asMany =
  'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
const signed = (thoughtSignature: string) => ({ ...call, parts: [{ ...call.parts[0], thoughtSignature }] });

describe('a conversation', () => {
  const [user] = question.contents;

  it.each([
    ['without contents', {}, '* GenerateContentRequest.contents: contents is not specified\n'],
    [
      'with a role that there is not',
      { contents: [{ role: 'system', parts: [{ text: 'a' }] }] },
      'Content with system role is not supported.\nPlease use a valid role: user, model.',
    ],
    [
      'with an empty turn',
      { contents: [user, { role: 'model', parts: [] }] },
      '* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n',
    ],
    [
      'with an empty part',
      { contents: [{ parts: [{ thought: true }] }] },
      "* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one initialized field\n",
    ],
    [
      'with a result that has no name',
      { contents: [user, call, { parts: [{ functionResponse: { response: {} } }] }] },
      '* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.\n',
    ],
    [
      'with a reference in a result',
      {
        contents: [
          user,
          call,
          {
            parts: [
              { functionResponse: { name: 'weather', response: { items: [{ $ref: '#/$defs/city' }] } } },
            ],
          },
        ],
      },
      'The referenced name `#/$defs/city` in function_response.response does not match to a display_name in the function_response.parts.',
    ],
    ['with a call at its beginning', { contents: [call, result] }, follows],
    [
      'with a call behind the model',
      { contents: [user, { role: 'model', parts: [{ text: 'a' }] }, call, result] },
      follows,
    ],
    [
      'with a result and no call',
      { contents: [user, result] },
      'Please ensure that function response turn comes immediately after a function call turn.',
    ],
    ['with a call and no result', { contents: [user, call, user] }, asMany],
    ['that ends with a call', { contents: [user, call] }, asMany],
    [
      'with results in two turns',
      { contents: [user, { ...call, parts: [...call.parts, ...call.parts] }, result, result] },
      asMany,
    ],
    [
      'with a signature that is none',
      { contents: [user, signed('skip_the_validator_x'), result] },
      'Corrupted thought signature.',
    ],
    [
      'with an empty system instruction',
      { ...question, systemInstruction: { parts: [] } },
      '* GenerateContentRequest.system_instruction.parts: contents.parts must not be empty.\n',
    ],
  ])('is refused %s', async (_case, body, message) => {
    expect(await refusalOf(body)).toEqual([400, { code: 400, message, status: 'INVALID_ARGUMENT' }]);
  });

  it('needs the signature of each call of the current turn from Gemini 3 on', async () => {
    const ask = { model: 'gemini-3.5-flash' };
    const missing = (position: number) => [
      400,
      {
        code: 400,
        message: `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:weather\` , position ${position}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
        status: 'INVALID_ARGUMENT',
      },
    ];
    const standIn = signed('skip_thought_signature_validator');
    const parallel = { ...standIn, parts: [...standIn.parts, ...call.parts] };
    const twoResults = { ...result, parts: [...result.parts, ...result.parts] };

    expect(await refusalOf({ contents: [user, call, result] }, ask)).toEqual(missing(2));
    expect(await refusalOf({ contents: [user, standIn, result, call, result] }, ask)).toEqual(missing(4));
    await answerTo({ contents: [user, parallel, twoResults] }, ask);
    await answerTo({ contents: [user, signed('context_engineering_is_the_way_to_go'), result] }, ask);
    await answerTo({ contents: [user, call, result, user] }, ask);
    await answerTo({ contents: [user, call, result] });
  });
});

describe('a model', () => {
  const forced = { toolConfig: { functionCallingConfig: { mode: 'ANY' } } };
  const jsonConfig = { generationConfig: { responseMimeType: 'application/json' } };

  it.each<[string, string, Json, string]>([
    [
      'a name that is no name',
      'gemini-2.5-flash',
      { tools: [{ functionDeclarations: [{ name: '1 f' }] }] },
      '* GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.\n',
    ],
    [
      'a function twice',
      'gemini-2.5-flash',
      { tools: [weather, weather] },
      'Duplicate function declaration found: weather',
    ],
    [
      'no functions where there should be some',
      'gemini-2.5-flash',
      { tools: [{ functionDeclarations: [] }] },
      "* GenerateContentRequest.tools[0].tool_type: required one_of 'tool_type' must have one initialized field\n",
    ],
    [
      'an object without properties',
      'gemini-2.5-flash',
      { tools: [{ functionDeclarations: [{ name: 'f', parameters: { type: 'object' } }] }] },
      '* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties: should be non-empty for OBJECT type\n',
    ],
    [
      'a tool config without tools',
      'gemini-2.5-flash',
      forced,
      'Function calling config is set without function_declarations.',
    ],
    [
      'allowed names without force',
      'gemini-2.5-flash',
      {
        tools: [weather],
        toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['weather'] } },
      },
      'Please set allowed_function_names only when function calling mode is ANY.',
    ],
    [
      'the name of a function that it does not know',
      'gemini-2.5-flash',
      {
        tools: [weather],
        toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['time'] } },
      },
      'allowed_function_names should be a subset of the provided function_declarations',
    ],
    [
      'JSON together with tools, before Gemini 3',
      'gemini-2.5-flash',
      { tools: [weather], ...jsonConfig },
      "Function calling with a response mime type: 'application/json' is unsupported",
    ],
    [
      'JSON together with forced tools',
      'gemini-3.5-flash',
      { tools: [weather], ...forced, ...jsonConfig },
      "Forced function calling (ANY mode) with a response mime type: 'application/json' is unsupported",
    ],
    [
      'nine candidates',
      'gemini-2.5-flash',
      { generationConfig: { candidateCount: 9 } },
      '* GenerateContentRequest.generation_config.candidate_count: candidate_count must be in the range [1, 8].\n',
    ],
    [
      'two candidates of Gemini 3',
      'gemini-3.5-flash',
      { generationConfig: { candidateCount: 2 } },
      'Multiple candidates is not enabled for this model',
    ],
    [
      'a temperature above 2',
      'gemini-2.5-flash',
      { generationConfig: { temperature: 2.1 } },
      '* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].\n',
    ],
    [
      'six stop sequences',
      'gemini-2.5-flash',
      { generationConfig: { stopSequences: [...'abcdef'] } },
      'the number of stop_sequences must not exceed 5',
    ],
    [
      'a penalty of Gemini 2.5',
      'gemini-2.5-pro',
      { generationConfig: { presencePenalty: 1 } },
      'Penalty is not enabled for models/gemini-2.5-pro',
    ],
    [
      'a level of Gemini 2.5',
      'gemini-2.5-pro',
      { generationConfig: { thinkingConfig: { thinkingLevel: 'LOW' } } },
      'Thinking level is not supported for this model.',
    ],
    [
      'a level that it has not',
      'gemini-3.8-flash',
      { generationConfig: { thinkingConfig: { thinkingLevel: 'minimal' } } },
      'Thinking level MINIMAL is not supported for this model. Please retry with other thinking level.',
    ],
    [
      'a level and a budget',
      'gemini-3.8-flash',
      { generationConfig: { thinkingConfig: { thinkingLevel: 'low', thinkingBudget: 1 } } },
      'You can only set only one of thinking budget and thinking level.',
    ],
    [
      'not to think, where it must',
      'gemini-2.5-pro',
      { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
      'Budget 0 is invalid. This model only works in thinking mode.',
    ],
    [
      'a budget out of range',
      'gemini-2.5-pro',
      { generationConfig: { thinkingConfig: { thinkingBudget: 1 } } },
      'The thinking budget 1 is invalid. Please choose a value between 128 and 32768.',
    ],
    [
      'a system instruction, when it is a Gemma',
      'gemma-3-27b-it',
      { systemInstruction: { parts: [{ text: 'a' }] } },
      'Developer instruction is not enabled for models/gemma-3-27b-it',
    ],
    [
      'to go on with its own words, from Gemini 3.7 on',
      'gemini-3.7-flash',
      { contents: [...question.contents, { role: 'model', parts: [{ text: 'It is' }] }] },
      'Requests ending with a model turn are not supported.',
    ],
  ])('refuses %s', async (_case, model, fields, message) => {
    expect(await refusalOf({ ...question, ...fields }, { model })).toEqual([
      400,
      { code: 400, message, status: 'INVALID_ARGUMENT' },
    ]);
  });
});

describe('a fixture', () => {
  const scenes = fixturesOf('google');

  it.each(['tools', 'error-rate-limit'])('is replayed whole: %s', async (name) => {
    const fixture = scenes.get(name);
    upstream.behaviour = { fixture };

    const response = await post(question);

    expect(response.status).toBe(fixture?.plain?.status);
    expect(response.headers.has('retry-after')).toBe(false);
    expect(await response.json()).toEqual(fixture?.plain?.body);
  });

  it('is replayed as events with the line ends that Google sends', async () => {
    const fixture = scenes.get('unicode');
    upstream.behaviour = { fixture };

    const response = await post(question, streamed);

    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('x-gemini-service-tier')).toBe('standard');
    const events =
      fixture?.stream !== null && fixture !== undefined && 'events' in fixture.stream
        ? fixture.stream.events
        : [];
    expect(events).not.toEqual([]);
    expect(await response.text()).toBe(
      events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join(''),
    );
  });

  it('can break off', async () => {
    upstream.behaviour = { fixture: scenes.get('cut') };

    await expect(post(question, streamed).then((response) => response.text())).rejects.toThrow('terminated');
  });

  it('does not come before the checks', async () => {
    upstream.behaviour = { fixture: scenes.get('text') };

    expect((await refusalOf({ contents: [] }))[0]).toBe(400);
  });
});
