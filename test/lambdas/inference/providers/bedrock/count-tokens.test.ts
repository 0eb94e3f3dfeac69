import { describe, expect, it } from 'vitest';
import { parseJsonObject } from '#lambdas/platform/json/json.ts';
import { countRefusal, countTokens } from '#test/support/messages/count-tokens.ts';

const host = 'bedrock-runtime.us-east-1.amazonaws.com';
const haiku = 'anthropic.claude-haiku-4-5-20251001-v1:0';
const messages = '[{"role":"user","content":"Hi"}]';
const bodyOf = (model: string, fields = '') => `{"model":"bedrock/${model}","messages":${messages}${fields}}`;
const count = { body: { inputTokens: 14 } };

async function invokedBody(text: string, callerHeaders: Record<string, string> = {}): Promise<string> {
  const { request } = await countTokens(text, { callerHeaders, responses: [count] });
  const { input } = parseJsonObject(request.body) ?? {};
  const { invokeModel } = Object(input);
  expect(request.body).toBe(JSON.stringify({ input: { invokeModel: { body: invokeModel.body } } }));
  return Buffer.from(invokeModel.body, 'base64').toString();
}

describe('The request to CountTokens', () => {
  it('has the body of InvokeModel, with an API key', async () => {
    const { request, response } = await countTokens(bodyOf(haiku), { responses: [count] });

    expect(request.url).toBe(`https://${host}/model/${encodeURIComponent(haiku)}/count-tokens`);
    expect(request.headers).toEqual({
      'amz-sdk-invocation-id': expect.stringMatching(/^[\da-f-]{36}$/),
      'amz-sdk-request': 'attempt=1; max=1',
      authorization: 'Bearer sk-1',
      'content-type': 'application/json',
      host,
      'user-agent': 'ai-gateway',
      'x-amz-user-agent': 'ai-gateway',
    });
    expect(response).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"input_tokens":14}',
    });
  });

  it("is signed with the function's role", async () => {
    const { request } = await countTokens(bodyOf(haiku), {
      settings: { bedrock: {} },
      apiKey: null,
      responses: [count],
    });
    expect(request.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/bedrock\/aws4_request, SignedHeaders=[\w;-]+, Signature=[\da-f]{64}$/,
    );
  });

  it('has the fields of the caller with their digits, without the model and the stream', async () => {
    const fields =
      ',"stream":true,"max_tokens":16,"tools":[{"name":"look","input_schema":{"enum":[1.0,9007199254740993]}}]';
    expect(await invokedBody(bodyOf(haiku, fields))).toBe(
      `{"anthropic_version":"bedrock-2023-05-31","max_tokens":16,"messages":${messages},"tools":[{"name":"look","input_schema":{"enum":[1.0,9007199254740993]}}]}`,
    );
  });

  it('has the mandatory limit, and the beta features of the header', async () => {
    const callerHeaders = { 'anthropic-beta': 'token-counting-2024-11-01, context-1m-2025-08-07,,x-1' };
    expect(await invokedBody(bodyOf(haiku), callerHeaders)).toBe(
      `{"anthropic_version":"bedrock-2023-05-31","anthropic_beta":["context-1m-2025-08-07","x-1"],"max_tokens":1,"messages":${messages}}`,
    );
    expect(await invokedBody(bodyOf(haiku), { 'anthropic-beta': 'token-counting-2024-11-01' })).not.toContain(
      'anthropic_beta',
    );
  });

  it.each([
    `us.${haiku}`,
    `eu.${haiku}`,
    `apac.${haiku}`,
    `global.${haiku}`,
    `arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.${haiku}`,
    `arn:aws:bedrock:us-east-1::foundation-model/${haiku}`,
  ])('names the model behind %s', async (model) => {
    const { request } = await countTokens(bodyOf(model), { responses: [count] });
    expect(request.url).toBe(`https://${host}/model/${encodeURIComponent(haiku)}/count-tokens`);
  });

  it.each([
    'amazon.nova-pro-v1:0',
    'us.meta.llama3-1-8b-instruct-v1:0',
    'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3',
  ])('is not sent for %s', async (model) => {
    expect(await countRefusal(bodyOf(model))).toEqual({
      error: expect.objectContaining({
        code: 'not_found',
        status: 404,
        message: `The provider bedrock has no counter of input tokens for ${model}: clients estimate them`,
      }),
      calls: 0,
    });
  });
});

describe('An error of CountTokens', () => {
  const failure = (status: number, type: string, message: string) => ({
    status,
    headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/` },
    body: { message },
  });

  it.each([
    [
      failure(400, 'ValidationException', "The provided model doesn't support counting tokens."),
      { code: 'not_found', status: 404 },
    ],
    [
      failure(400, 'ValidationException', 'messages.0.content: Field required'),
      { code: 'provider_rejected_request', status: 400, message: 'messages.0.content: Field required' },
    ],
    [
      failure(400, 'ValidationException', 'The provided model identifier is invalid.'),
      { code: 'model_not_found', status: 400 },
    ],
    [
      failure(403, 'AccessDeniedException', 'User is not authorized to perform: bedrock:CountTokens'),
      { code: 'provider_authentication_failed', status: 502 },
    ],
    [failure(429, 'ThrottlingException', 'Too many requests'), { code: 'rate_limit_exceeded', status: 429 }],
  ])('is one of the gateway: %j', async (response, error) => {
    expect(await countRefusal(bodyOf(haiku), { responses: [response] })).toMatchObject({ error, calls: 1 });
  });
});
