/** Requests and responses of providers with OpenAI's Embeddings API, byte for byte. */
import { describe, expect, it } from 'vitest';
import { noUsage } from '#lambdas/pricing/usage.ts';
import {
  failureOf,
  prepareOne,
  readEmbeddings,
  rejectionOf,
  sentRequest,
} from '#test/support/embeddings/call.ts';

const openai = 'openai/text-embedding-3-small';
/** 0.1 as a 32-bit float, and -0. */
const base64 = Buffer.from('cdcccc3d00000080', 'hex').toString('base64');
const decimals = '[0.10000000149011612,-0]';

/** The response as a provider formats it, with a number that JavaScript would change. */
const listOf = (embedding: string) => `{
  "object": "list",
  "data": [
    { "object": "embedding", "index": 0, "embedding": ${embedding} }
  ],
  "model": "text-embedding-3-small",
  "usage": { "prompt_tokens": 2, "total_tokens": 2, "cost": 1.0e-7 }
}`;
const usage = { ...noUsage, freshInputTokens: 2 };

const callerHeaders = {
  accept: 'application/json',
  authorization: 'Bearer pt_live_caller',
  cookie: 'a=b',
  'openai-beta': 'x=1',
  'user-agent': 'OpenAI/JS 7.55.0',
};
const forwardedHeaders = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  'content-type': 'application/json',
  'openai-beta': 'x=1',
  'user-agent': 'OpenAI/JS 7.55.0',
};

describe('The request to a provider with the Embeddings API', () => {
  it('is that of the caller with another model, in every other byte', async () => {
    const body = `{ "input" : ["Gr\\u00fc\\u00dfe 🙂",\n"x"], "model":"${openai}",  "user": "ada", "n": 1.0, "dimensions": 256 }`;

    const { outgoing, ignoredParameters } = await prepareOne(body, { callerHeaders });

    expect(outgoing.url.href).toBe('https://api.openai.com/v1/embeddings');
    expect(outgoing.headers).toEqual({ ...forwardedHeaders, authorization: 'Bearer sk-1' });
    expect(outgoing.body).toBe(body.replace(openai, 'text-embedding-3-small'));
    expect(ignoredParameters).toEqual([]);
  });

  it('has the key header and the base URL of Azure', async () => {
    const { outgoing } = await prepareOne(
      { model: 'azure/my-deployment', input: 'Hi' },
      {
        settings: { azure: { baseUrl: 'https://acme.openai.azure.com/openai/v1' } },
        callerHeaders,
      },
    );

    expect(outgoing.url.href).toBe('https://acme.openai.azure.com/openai/v1/embeddings');
    expect(outgoing.headers).toEqual({ ...forwardedHeaders, 'api-key': 'sk-1' });
    expect(outgoing.body).toBe('{"model":"my-deployment","input":"Hi"}');
  });

  it('has tokens as they are', async () => {
    const { outgoing } = await prepareOne({ model: openai, input: [[1, 2], [3]] });

    expect(outgoing.body).toBe('{"model":"text-embedding-3-small","input":[[1,2],[3]]}');
  });

  it.each([
    [
      { dimensions: 512, user: 'ada', encoding_format: 'base64' },
      { encoding_format: 'base64', output_dimension: 512 },
      ['user'],
    ],
    [{ dimensions: null, user: null }, {}, []],
    [{ output_dtype: 'int8' }, { output_dtype: 'int8' }, []],
  ])("has Mistral's names instead of %j", async (fields, expected, ignored) => {
    const prepared = await prepareOne({ model: 'mistral/codestral-embed', input: ['Hi'], ...fields });

    expect(sentRequest(prepared)).toMatchObject({ url: 'https://api.mistral.ai/v1/embeddings', ignored });
    expect(sentRequest(prepared).body).toEqual({ model: 'codestral-embed', input: ['Hi'], ...expected });
  });

  it.each([
    [{}, 'passage'],
    [{ input_type: null }, 'passage'],
    [{ input_type: 'search_document' }, 'passage'],
    [{ input_type: 'search_query' }, 'query'],
    [{ input_type: 'query' }, 'query'],
    [{ input_type: 'constructor' }, 'constructor'],
  ])("has NVIDIA's type of input for %j", async (fields, inputType) => {
    const prepared = await prepareOne({ model: 'nvidia/nvidia/nv-embedqa-e5-v5', input: 'Hi', ...fields });

    expect(sentRequest(prepared)).toMatchObject({
      url: 'https://integrate.api.nvidia.com/v1/embeddings',
      body: { model: 'nvidia/nv-embedqa-e5-v5', input: 'Hi', input_type: inputType },
      ignored: [],
    });
  });

  it('goes to the path in the settings', async () => {
    const settings = {
      tei: { baseUrl: 'https://tei.example.com', operations: { embeddings: '/v1/embeddings' } },
      vllm: { baseUrl: 'https://vllm.example.com/v1' },
    };

    expect(sentRequest(await prepareOne({ model: 'tei/bge-m3', input: 'Hi' }, { settings })).url).toBe(
      'https://tei.example.com/v1/embeddings',
    );
    expect(sentRequest(await prepareOne({ model: 'vllm/bge-m3', input: 'Hi' }, { settings })).url).toBe(
      'https://vllm.example.com/v1/embeddings',
    );
  });

  it.each([
    ['a server without the operation', 'my-llm', { operations: { embeddings: false as const } }],
    ['Anthropic, which has no embeddings', 'anthropic', {}],
    ['DeepSeek, which has no embeddings', 'deepseek', {}],
  ])('is refused for %s', async (_, name, settings) => {
    const rejection = rejectionOf(
      { model: `${name}/some-model`, input: 'Hi' },
      { settings: { [name]: { baseUrl: 'https://llm.example.com/v1', ...settings } } },
    );

    expect(await rejection).toEqual({
      code: 'model_not_found',
      param: 'model',
      message: `The provider ${name} does not have the operation embeddings; GET /ai/models lists the operations of each model`,
    });
  });
});

describe('The response of a provider with the Embeddings API', () => {
  it.each([
    ['float', decimals],
    ['base64', JSON.stringify(base64)],
  ])('is forwarded byte for byte if the vectors are %s as asked for', async (encoding_format, embedding) => {
    const body = { model: openai, input: 'Hi', encoding_format };

    const { text, facts, error } = await readEmbeddings(body, { body: [listOf(embedding)] });

    expect(text).toBe(listOf(embedding));
    expect(error).toBeNull();
    expect(facts).toMatchObject({ usage, responseModel: 'text-embedding-3-small', finishReason: null });
  });

  it.each([
    ['base64', decimals, JSON.stringify(base64)],
    ['float', JSON.stringify(base64), decimals],
  ])(
    'is converted to %s if the server ignores what was asked for',
    async (encoding_format, sent, written) => {
      const body = { model: openai, input: 'Hi', encoding_format };

      const { text, facts } = await readEmbeddings(body, { body: [listOf(sent)] });

      expect(text).toBe(
        `{"data":[{"object":"embedding","index":0,"embedding":${written}}],"object":"list","model":"text-embedding-3-small","usage":{"prompt_tokens":2,"total_tokens":2,"cost":1e-7}}`,
      );
      expect(facts.usage).toEqual(usage);
    },
  );

  it('may have nothing but the vectors', async () => {
    const body = { model: openai, input: ['a', 'b'], encoding_format: 'base64' };

    const { text, facts } = await readEmbeddings(body, {
      body: ['{"data":[{"embedding":[0.5]},{"embedding":[-0.5]}]}'],
    });

    expect(text).toBe('{"data":[{"embedding":"AAAAPw=="},{"embedding":"AAAAvw=="}]}');
    expect(facts).toMatchObject({ usage: null, responseModel: null });
  });

  it('may have a byte order mark, and other bytes after the list', async () => {
    const { text } = await readEmbeddings(
      { model: openai, input: 'Hi' },
      { body: ['\ufeff', listOf(decimals), '\r\n'] },
    );

    expect(text).toBe(listOf(decimals));
  });

  it.each([
    ['the total of tokens', { total_tokens: 7 }, 7],
    ['no output tokens', { prompt_tokens: 7, completion_tokens: null, total_tokens: 7 }, 7],
    ['an output of 0', { prompt_tokens: 7, completion_tokens: 0, total_tokens: 7 }, 7],
  ])('may state %s', async (_, stated, tokens) => {
    const list = JSON.stringify({ data: [{ embedding: [1] }], usage: stated });

    const { text, facts } = await readEmbeddings({ model: openai, input: 'Hi' }, { body: [list] });

    expect(text).toBe(list);
    expect(facts.usage).toEqual({ ...noUsage, freshInputTokens: tokens });
    expect(facts.usageWarnings).toEqual([]);
  });

  it('has the cost that the provider states', async () => {
    const body = { data: [{ embedding: [1] }], usage: { prompt_tokens: 7, total_tokens: 7, cost: 0.00002 } };

    const { facts } = await readEmbeddings(
      { model: 'openrouter/qwen/qwen3-embedding-8b', input: 'Hi' },
      { body },
    );

    expect(facts).toMatchObject({ reportedCostUsd: '0.00002', usage: { freshInputTokens: 7 } });
  });

  it.each([
    ['no embeddings', { object: 'list' }, 'The response of the provider openai contains no embeddings'],
    ['no objects', { data: [[1]] }, 'The response of the provider openai contains no embeddings'],
    ['too few embeddings', { data: [] }, 'The provider openai sent 0 embeddings for an input of 1'],
    [
      'too many embeddings',
      { data: [{ embedding: [1] }, { embedding: [2] }] },
      'The provider openai sent 2 embeddings for an input of 1',
    ],
    [
      'an embedding that is missing',
      { data: [{ index: 0 }] },
      'The provider sent an embedding that is not a vector',
    ],
    [
      'an embedding of another type',
      { data: [{ embedding: { float: [1] } }] },
      'The provider sent an embedding that is not a vector',
    ],
  ])('is an error with %s', async (_, body, message) => {
    const { text, error, facts } = await readEmbeddings(
      { model: openai, input: 'Hi' },
      { body: { ...body, usage: { prompt_tokens: 2, total_tokens: 2 } } },
    );

    expect({ text, code: error?.code, message: error?.message }).toEqual({
      text: '',
      code: 'provider_error',
      message,
    });
    expect(facts.usage).toEqual(usage);
  });

  it('is an error if it contains one', async () => {
    const body = { error: { message: 'Overloaded', type: 'server_error', code: 503 } };

    const { text, error } = await readEmbeddings({ model: openai, input: 'Hi' }, { body });

    expect({ text, code: error?.code, message: error?.message }).toEqual({
      text: '',
      code: 'provider_unavailable',
      message: 'Overloaded',
    });
  });

  it.each([['{"data":[{"embedding":[0.5'], ['[[0.5]]'], ['Bad gateway'], ['']])(
    'has not ended if it is %j',
    async (body) => {
      const { text, error } = await readEmbeddings({ model: openai, input: 'Hi' }, { body: [body] });

      // The relay reports that it ended early.
      expect([text, error]).toEqual(['', null]);
    },
  );
});

describe('An error of a provider with the Embeddings API', () => {
  const body = { model: openai, input: 'Hi', dimensions: 8, encoding_format: 'float' };
  const errorBody = (error: object) => ({
    error: { message: 'No.', param: null, code: null, ...error },
  });

  it.each([
    [400, { param: 'dimensions' }, { status: 400, code: 'provider_rejected_request', param: 'dimensions' }],
    [
      400,
      { message: "'$.input' is invalid." },
      { status: 400, code: 'provider_rejected_request', param: 'input' },
    ],
    [
      400,
      { message: "This model's maximum context length is 8192 tokens, however you requested 10000 tokens." },
      { status: 400, code: 'context_length_exceeded', param: 'input' },
    ],
    [401, { code: 'invalid_api_key' }, { status: 502, code: 'provider_authentication_failed', param: null }],
    [404, { code: 'model_not_found' }, { status: 400, code: 'model_not_found', param: 'model' }],
    [429, { code: 'rate_limit_exceeded' }, { status: 429, code: 'rate_limit_exceeded', param: null }],
    [500, {}, { status: 502, code: 'provider_error', param: null }],
    [503, {}, { status: 503, code: 'provider_unavailable', param: null }],
  ])('with status %i and %j is one of the gateway', async (status, error, expected) => {
    expect(await failureOf(body, { status, body: errorBody(error) })).toMatchObject(expected);
  });

  it("names the caller's parameter instead of Mistral's", async () => {
    const detail = [{ loc: ['body', 'output_dimension'], msg: 'Input should be less than 3072' }];

    expect(
      await failureOf({ ...body, model: 'mistral/codestral-embed' }, { status: 422, body: { detail } }),
    ).toEqual({
      status: 422,
      code: 'provider_rejected_request',
      param: 'dimensions',
      message: 'Input should be less than 3072',
    });
  });
});
