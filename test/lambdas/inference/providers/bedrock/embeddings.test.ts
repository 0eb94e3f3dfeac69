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

const titan = 'bedrock/amazon.titan-embed-text-v2:0';
const cohere = 'bedrock/us.cohere.embed-v4:0';

describe('The request to Bedrock', () => {
  it('invokes the model, with an API key', async () => {
    const { outgoing } = await prepareOne({ model: titan, input: 'Hi' });

    expect(outgoing.url.href).toBe(
      'https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.titan-embed-text-v2%3A0/invoke',
    );
    expect(outgoing.headers).toEqual({
      'amz-sdk-invocation-id': expect.stringMatching(/^[\da-f-]{36}$/),
      'amz-sdk-request': 'attempt=1; max=1',
      authorization: 'Bearer sk-1',
      'content-type': 'application/json',
      host: 'bedrock-runtime.us-east-1.amazonaws.com',
      'user-agent': 'ai-gateway',
      'x-amz-user-agent': 'ai-gateway',
    });
    expect(outgoing.body).toBe('{"inputText":"Hi"}');
  });

  it("is signed with the function's role", async () => {
    const { outgoing } = await prepareOne({ model: titan, input: 'Hi' }, { apiKey: null });

    expect(outgoing.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/bedrock\/aws4_request, SignedHeaders=[\w;-]+, Signature=[\da-f]{64}$/,
    );
  });

  it.each([
    ['amazon.titan-embed-text-v1', {}, {}],
    [
      'amazon.titan-embed-text-v2:0',
      { dimensions: 256, normalize: false },
      { normalize: false, dimensions: 256 },
    ],
    ['amazon.titan-embed-image-v1', { dimensions: 256 }, { embeddingConfig: { outputEmbeddingLength: 256 } }],
    ['arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.titan-embed-text-v2:0', {}, {}],
  ])('has the format of Titan for %s', async (model, fields, expected) => {
    const request = sentRequest(
      await prepareOne({
        model: `bedrock/${model}`,
        input: 'Hi',
        input_type: 'search_query',
        user: 'ada',
        ...fields,
      }),
    );

    expect(request.body).toEqual({ inputText: 'Hi', ...expected });
    expect(request.ignored).toEqual(['user', 'input_type']);
  });

  it('has one text of Titan', async () => {
    const parts = await prepareEmbeddings({ model: titan, input: ['a', 'b', 'c'] });

    expect(parts.map(({ outgoing }) => outgoing.body)).toEqual([
      '{"inputText":"a"}',
      '{"inputText":"b"}',
      '{"inputText":"c"}',
    ]);
  });

  it.each([
    ['cohere.embed-english-v3', {}, { input_type: 'search_document' }],
    [
      'us.cohere.embed-v4:0',
      { dimensions: 512, input_type: 'search_query', truncate: 'END' },
      { input_type: 'search_query', output_dimension: 512, truncate: 'END' },
    ],
    [
      'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.cohere.embed-v4:0',
      { embedding_types: ['int8'], texts: ['y'] },
      { input_type: 'search_document' },
    ],
  ])('has the format of Cohere for %s', async (model, fields, expected) => {
    const request = sentRequest(
      await prepareOne({ model: `bedrock/${model}`, input: ['a', 'b'], user: 'ada', ...fields }),
    );

    expect(request.url).toBe(
      `https://bedrock-runtime.us-east-1.amazonaws.com/model/${encodeURIComponent(model)}/invoke`,
    );
    expect(request.body).toEqual({ texts: ['a', 'b'], embedding_types: ['float'], ...expected });
    expect(request.ignored).toEqual([...('embedding_types' in fields ? ['embedding_types'] : []), 'user']);
  });

  it('keeps its text, although the caller has a field of the same name', async () => {
    const { body } = sentRequest(await prepareOne({ model: titan, input: 'Hi', inputText: 'Bye' }));

    expect(body).toEqual({ inputText: 'Hi' });
  });

  it('is not sent for another model, nor for tokens', async () => {
    expect(await rejectionOf({ model: 'bedrock/amazon.nova-pro-v1:0', input: 'Hi' })).toEqual({
      code: 'model_not_found',
      param: 'model',
      message:
        'amazon.nova-pro-v1:0 is no embedding model of the provider bedrock that the gateway supports: use amazon.titan-embed-… or cohere.embed-…',
    });
    expect(await rejectionOf({ model: titan, input: [1] })).toMatchObject({ param: 'input' });
  });
});

describe('The response of Bedrock', () => {
  const part = '{"object":"embedding","index":0,"embedding":[0.5,-0.25]}';
  const tokenCount = (count: string) => ({ 'x-amzn-bedrock-input-token-count': count });
  const titanBody = { embedding: [0.5, -0.25], inputTextTokenCount: 3, embeddingsByType: { float: [9] } };
  const cohereBody = {
    id: 'x',
    texts: ['a'],
    embeddings: { float: [[0.5, -0.25]] },
    response_type: 'embeddings_by_type',
  };

  it.each([
    ['the body of Titan', titan, titanBody, {}, 3],
    ['the header', titan, titanBody, tokenCount('4'), 4],
    ['the header beside Cohere', cohere, cohereBody, tokenCount('4'), 4],
  ])('has the usage in %s', async (_, model, body, headers, tokens) => {
    const { text, facts, error } = await readEmbeddings({ model, input: 'a' }, { body, headers });

    expect([text, error]).toEqual([part, null]);
    expect(facts.usage).toEqual({ ...noUsage, freshInputTokens: tokens });
  });

  it.each([
    ['no count', {}],
    ['a count that is no number', tokenCount('many')],
    ['a fraction', tokenCount('1.5')],
  ])('has no usage with %s', async (_, headers) => {
    const { text, facts } = await readEmbeddings(
      { model: cohere, input: 'a' },
      { body: cohereBody, headers },
    );

    expect([text, facts.usage]).toEqual([part, null]);
  });

  it('has vectors in the encoding that was asked for', async () => {
    const { text } = await readEmbeddings(
      { model: titan, input: 'a', encoding_format: 'base64' },
      { body: titanBody },
    );

    expect(text).toBe('{"object":"embedding","index":0,"embedding":"AAAAPwAAgL4="}');
  });

  it.each([
    ['none', { embeddingsByType: {} }, 'The response of the provider bedrock contains no embeddings'],
    [
      'two of them',
      { embeddings: { float: [[1], [2]] } },
      'The provider bedrock sent 2 embeddings for an input of 1',
    ],
    ['an empty one', { embedding: [] }, 'The provider sent an embedding that is not a vector'],
    // "Specifies any errors that occur during generation."
    ['a message beside it', { embedding: [1], message: 'Failed to embed' }, 'Failed to embed'],
  ])('is an error with %s', async (_, body, message) => {
    const { text, error } = await readEmbeddings({ model: titan, input: 'a' }, { body });

    expect({ text, code: error?.code, message: error?.message }).toEqual({
      text: '',
      code: 'provider_error',
      message,
    });
  });
});

describe('An error of Bedrock', () => {
  const failure = (status: number, type: string, message: string) => ({
    status,
    headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/` },
    body: { message },
  });

  it.each([
    [
      failure(
        400,
        'ValidationException',
        'Malformed input request: #/dimensions: 300 is not a valid enum value',
      ),
      { status: 400, code: 'ValidationException', param: 'dimensions' },
    ],
    [
      failure(400, 'ValidationException', '400 Bad Request: Too many input tokens. Max input tokens: 8192'),
      { status: 400, code: 'ValidationException', param: 'input' },
    ],
    [
      failure(400, 'ValidationException', 'The provided model identifier is invalid.'),
      { status: 400, code: 'model_not_found', param: 'model' },
    ],
    [
      failure(
        403,
        'AccessDeniedException',
        "You don't have access to the model with the specified model ID.",
      ),
      { status: 400, code: 'model_not_found', param: 'model' },
    ],
    [
      failure(403, 'UnrecognizedClientException', 'The security token included in the request is invalid.'),
      { status: 502, code: 'provider_authentication_failed', param: null },
    ],
    [
      failure(429, 'ThrottlingException', 'Too many requests, please wait before trying again.'),
      { status: 429, code: 'ThrottlingException', param: null },
    ],
    [
      failure(500, 'InternalServerException', 'The system encountered an unexpected error.'),
      { status: 502, code: 'InternalServerException', param: null },
    ],
  ])('is one of the gateway: %j', async (response, expected) => {
    expect(await failureOf({ model: titan, input: 'Hi', dimensions: 300 }, response)).toMatchObject(expected);
  });
});
