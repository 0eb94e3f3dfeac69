import { describe, expect, it } from 'vitest';
import { noUsage } from '#lambdas/pricing/usage.ts';
import {
  failureOf,
  prepareEmbeddings,
  prepareOne,
  readEmbeddings,
  rejectionOf,
  sentRequest,
} from '#test/support/embeddings/call.ts';

const model = 'cohere/embed-v4.0';

describe('The request to Cohere', () => {
  it('goes to its own API, with what it requires', async () => {
    const { outgoing } = await prepareOne(
      { model, input: ['a', 'b'] },
      { callerHeaders: { 'user-agent': 'me', accept: 'x' } },
    );

    expect(outgoing.url.href).toBe('https://api.cohere.ai/v2/embed');
    expect(outgoing.headers).toEqual({
      'accept-encoding': 'identity',
      authorization: 'Bearer sk-1',
      'content-type': 'application/json',
      'user-agent': 'me',
    });
    expect(JSON.parse(outgoing.body)).toEqual({
      model: 'embed-v4.0',
      texts: ['a', 'b'],
      input_type: 'search_document',
      embedding_types: ['float'],
    });
  });

  it('has the size and the use of the vectors, and its own fields unchanged', async () => {
    const fields = { dimensions: 512, input_type: 'search_query', truncate: 'END', user: 'ada' };

    expect(
      sentRequest(await prepareOne({ model, input: 'a', encoding_format: 'base64', ...fields })),
    ).toMatchObject({
      body: {
        model: 'embed-v4.0',
        texts: ['a'],
        input_type: 'search_query',
        embedding_types: ['float'],
        output_dimension: 512,
        truncate: 'END',
      },
      ignored: ['user'],
    });
  });

  it('keeps its texts and the type of vectors, although the caller has fields of the same names', async () => {
    const request = sentRequest(
      await prepareOne({ model, input: 'a', texts: ['b'], embedding_types: ['int8'] }),
    );

    expect(request.body).toMatchObject({ texts: ['a'], embedding_types: ['float'] });
    expect(request.ignored).toEqual(['embedding_types']);
  });

  it('has at most 96 texts', async () => {
    const input = Array.from({ length: 97 }, (_, index) => `text ${index}`);

    const bodies = (await prepareEmbeddings({ model, input })).map((part) => sentRequest(part).body);

    expect(bodies).toMatchObject([{ texts: { length: 96 } }, { texts: ['text 96'] }]);
  });

  it("may be OpenAI's if the settings say so", async () => {
    const settings = {
      cohere: {
        baseUrl: 'https://api.cohere.ai/compatibility/v1',
        operations: { embeddings: '/embeddings' },
      },
    };

    expect(sentRequest(await prepareOne({ model, input: [[1]] }, { settings }))).toMatchObject({
      url: 'https://api.cohere.ai/compatibility/v1/embeddings',
      body: { model: 'embed-v4.0', input: [[1]] },
    });
  });

  it('is not sent for tokens', async () => {
    expect(await rejectionOf({ model, input: [1, 2] })).toEqual({
      code: 'unsupported_parameter',
      param: 'input',
      message: 'input must be text for the provider cohere, which does not take tokens',
    });
  });
});

describe('The response of Cohere', () => {
  const body = {
    id: 'x',
    texts: ['a', 'b'],
    embeddings: { float: [[0.5, -0.25], [-0.5]] },
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: 3 } },
    response_type: 'embeddings_by_type',
  };
  const read = (response: object, fields: object = {}) =>
    readEmbeddings({ model, input: ['a', 'b'], ...fields }, { body: response });

  it.each([
    ['float', '[0.5,-0.25]', '[-0.5]'],
    ['base64', '"AAAAPwAAgL4="', '"AAAAvw=="'],
  ])('becomes a part of the list, as %s, with the billed tokens', async (encoding_format, first, second) => {
    const { text, facts } = await read(body, { encoding_format });

    expect(text).toBe(
      `{"object":"embedding","index":0,"embedding":${first}},{"object":"embedding","index":1,"embedding":${second}}`,
    );
    expect(facts.usage).toEqual({ ...noUsage, freshInputTokens: 3 });
  });

  it('may have no usage', async () => {
    const { meta: _, ...withoutUsage } = body;

    expect((await read(withoutUsage)).facts.usage).toBeNull();
    expect((await read({ ...body, meta: { billed_units: { input_tokens: 'x' } } })).facts.usage).toBeNull();
  });

  it.each([
    [
      'vectors of another type',
      { ...body, embeddings: { int8: [[1], [2]] } },
      'The response of the provider cohere contains no embeddings',
    ],
    [
      'one of two',
      { ...body, embeddings: { float: [[1]] } },
      'The provider cohere sent 1 embeddings for an input of 2',
    ],
    [
      'an invalid vector',
      { ...body, embeddings: { float: [[1], ['2']] } },
      'The provider sent an embedding that is not a vector',
    ],
    ['an error', { id: 'x', message: 'internal server error' }, 'internal server error'],
  ])('is an error with %s', async (_, response, message) => {
    const { text, error } = await read(response);

    expect({ text, code: error?.code, message: error?.message }).toEqual({
      text: '',
      code: 'provider_error',
      message,
    });
  });
});

describe('An error of Cohere', () => {
  it.each([
    [
      400,
      'invalid request: output_dimension must be one of 256, 512, 1024, 1536',
      { status: 400, code: 'provider_rejected_request', param: 'dimensions' },
    ],
    [
      400,
      'invalid request: valid input_type must be provided with the provided model',
      { status: 400, code: 'provider_rejected_request', param: 'input_type' },
    ],
    [
      400,
      'invalid request: total number of texts must be at most 96 - received 97',
      { status: 400, code: 'provider_rejected_request', param: 'input' },
    ],
    [401, 'invalid api token', { status: 502, code: 'provider_authentication_failed', param: null }],
    [404, "model 'embed-v4.0' not found", { status: 400, code: 'model_not_found', param: 'model' }],
    [429, 'trial key rate limit exceeded', { status: 429, code: 'rate_limit_exceeded', param: null }],
    [500, 'internal server error', { status: 502, code: 'provider_error', param: null }],
  ])('with status %i and %j is one of the gateway', async (status, message, expected) => {
    const body = { model, input: 'a', dimensions: 300, input_type: 'nonsense' };

    expect(await failureOf(body, { status, body: { id: 'x', message } })).toMatchObject(expected);
  });
});
