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

const model = 'google/gemini-embedding-001';
const content = (text: string) => ({ parts: [{ text }] });

describe('The request to the Gemini API', () => {
  it('has a request for each text', async () => {
    const { outgoing } = await prepareOne(
      { model, input: ['Grüße', 'x'], encoding_format: 'base64' },
      { callerHeaders: { 'user-agent': 'me', accept: 'x' } },
    );

    expect(outgoing.url.href).toBe(
      'https://generativelanguage.googleapis.com/v1beta/models/gemini-embedding-001:batchEmbedContents',
    );
    expect(outgoing.headers).toEqual({
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'user-agent': 'me',
      'x-goog-api-key': 'sk-1',
    });
    expect(JSON.parse(outgoing.body)).toEqual({
      requests: [
        { model: 'models/gemini-embedding-001', content: content('Grüße') },
        { model: 'models/gemini-embedding-001', content: content('x') },
      ],
    });
  });

  it('has the size and the use of the vectors in its own terms, and its own fields unchanged', async () => {
    const request = sentRequest(
      await prepareOne({
        model,
        input: 'x',
        dimensions: 768,
        input_type: 'search_document',
        user: 'ada',
        title: 'Greetings',
      }),
    );

    expect(request).toMatchObject({
      body: {
        requests: [
          {
            model: 'models/gemini-embedding-001',
            content: content('x'),
            taskType: 'RETRIEVAL_DOCUMENT',
            outputDimensionality: 768,
            title: 'Greetings',
          },
        ],
      },
      ignored: ['user'],
    });
  });

  it.each([
    ['search_query', 'RETRIEVAL_QUERY'],
    ['classification', 'CLASSIFICATION'],
    ['clustering', 'CLUSTERING'],
    ['SEMANTIC_SIMILARITY', 'SEMANTIC_SIMILARITY'],
    ['constructor', 'constructor'],
  ])('has the use %s as %s', async (inputType, taskType) => {
    const { body } = sentRequest(await prepareOne({ model, input: 'x', input_type: inputType }));

    expect(body).toMatchObject({ requests: [{ taskType }] });
  });

  it('keeps its texts and its model, although the caller has fields of the same names', async () => {
    const body = { model, input: 'x', content: content('y'), requests: [] };

    expect(sentRequest(await prepareOne(body)).body).toEqual({
      requests: [{ model: 'models/gemini-embedding-001', content: content('x'), requests: [] }],
    });
  });

  it('has at most 100 texts', async () => {
    const input = Array.from({ length: 101 }, (_, index) => `text ${index}`);

    const bodies = (await prepareEmbeddings({ model, input })).map((part) => sentRequest(part).body);

    expect(bodies).toMatchObject([
      { requests: { length: 100 } },
      { requests: [{ content: content('text 100') }] },
    ]);
  });

  it('is not sent for tokens, nor with long fields for every text', async () => {
    expect(await rejectionOf({ model, input: [1, 2] })).toMatchObject({
      code: 'unsupported_parameter',
      param: 'input',
    });
    expect(await rejectionOf({ model, input: 'x', title: 'x'.repeat(2_000) })).toMatchObject({
      code: 'invalid_request_error',
      param: 'title',
    });
  });
});

describe('The response of the Gemini API', () => {
  const body = { model, input: ['a', 'b'] };
  const embeddings = [{ values: [0.5, -0.25] }, { values: [-0.5] }];

  it.each([
    ['float', '[0.5,-0.25]', '[-0.5]'],
    ['base64', '"AAAAPwAAgL4="', '"AAAAvw=="'],
  ])('becomes a part of the list, as %s', async (encoding_format, first, second) => {
    const { text, facts } = await readEmbeddings({ ...body, encoding_format }, { body: { embeddings } });

    expect(text).toBe(
      `{"object":"embedding","index":0,"embedding":${first}},{"object":"embedding","index":1,"embedding":${second}}`,
    );
    // Only newer models report their usage.
    expect(facts.usage).toBeNull();
  });

  it('has the usage of newer models', async () => {
    const usageMetadata = {
      promptTokenCount: 12,
      promptTokenDetails: [{ modality: 'TEXT', tokenCount: 12 }],
    };

    const { facts } = await readEmbeddings(body, { body: { embeddings, usageMetadata } });

    expect(facts.usage).toEqual({ ...noUsage, freshInputTokens: 12 });
  });

  it('continues the positions of the call before', async () => {
    const input = Array.from({ length: 101 }, () => 'x');
    const [, last] = await prepareEmbeddings({ model, input });
    if (last === undefined) throw new Error('The request takes one call');
    const { createReader } = await last.protocol.loadReaders();
    const response = Buffer.from(JSON.stringify({ embeddings: [{ values: [1] }] }));

    const text = createReader({}).push(response).toString();

    expect(text).toBe('{"object":"embedding","index":100,"embedding":[1]}');
  });

  it.each([
    ['no embeddings', {}, 'The response of the provider google contains no embeddings'],
    [
      'one of two',
      { embeddings: [{ values: [1] }] },
      'The provider google sent 1 embeddings for an input of 2',
    ],
    [
      'null',
      { embeddings: [null, { values: [1] }] },
      'The provider google sent 1 embeddings for an input of 2',
    ],
    [
      'an embedding without values',
      { embeddings: [{ values: [1] }, {}] },
      'The provider sent an embedding that is not a vector',
    ],
  ])('is an error with %s', async (_, response, message) => {
    const { text, error } = await readEmbeddings(body, { body: response });

    expect({ text, code: error?.code, message: error?.message }).toEqual({
      text: '',
      code: 'provider_error',
      message,
    });
  });

  it('is an error if it contains one', async () => {
    const { error } = await readEmbeddings(body, {
      body: { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } },
    });

    expect([error?.code, error?.message]).toEqual(['provider_unavailable', 'Overloaded']);
  });
});

describe('An error of the Gemini API', () => {
  const rpcError = (code: number, status: string, message: string, details: object[] = []) => ({
    status: code,
    body: { error: { code, status, message, details } },
  });
  const body = { model, input: 'x', dimensions: 5_000, input_type: 'nonsense' };

  it.each([
    [
      rpcError(
        400,
        'INVALID_ARGUMENT',
        '* BatchEmbedContentsRequest.requests[0].content: contents is not specified',
      ),
      { status: 400, code: 'INVALID_ARGUMENT', param: 'input' },
    ],
    [
      rpcError(400, 'INVALID_ARGUMENT', "Invalid value at 'requests[0].task_type'"),
      { status: 400, code: 'INVALID_ARGUMENT', param: 'input_type' },
    ],
    [
      rpcError(400, 'INVALID_ARGUMENT', 'output_dimensionality must be at most 3072'),
      { status: 400, code: 'INVALID_ARGUMENT', param: 'dimensions' },
    ],
    [
      rpcError(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
      ]),
      { status: 502, code: 'provider_authentication_failed', param: null },
    ],
    [
      rpcError(404, 'NOT_FOUND', 'models/gemini-embedding-001 is not found for API version v1beta'),
      { status: 400, code: 'model_not_found', param: 'model' },
    ],
    [rpcError(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded'), { status: 429, code: 'RESOURCE_EXHAUSTED' }],
    [rpcError(500, 'INTERNAL', 'An internal error has occurred'), { status: 502, code: 'INTERNAL' }],
  ])('is one of the gateway: %j', async (response, expected) => {
    expect(await failureOf(body, response)).toMatchObject(expected);
  });
});
