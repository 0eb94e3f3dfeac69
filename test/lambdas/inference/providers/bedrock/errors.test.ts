import { describe, expect, it } from 'vitest';
import { callBedrock } from '#test/support/providers/bedrock/call.ts';

type Request = Record<string, unknown>;

async function errorFor(message: string, { request = {}, status = 400, type = 'ValidationException' } = {}) {
  const headers = { 'content-type': 'application/json', 'x-amzn-errortype': `${type}:http://internal/` };
  const response = await callBedrock(request, { status, headers, body: { message } });
  if (response.kind !== 'failure') throw new Error('Expected a failure');
  const { code, providerCode, param } = response.error;
  return { status: response.error.status, code, providerCode, param };
}

const modelError = (message: string) => `The model returned the following errors: ${message}`;

const validationError = (param: string | null) => ({
  status: 400,
  code: 'provider_rejected_request',
  providerCode: 'ValidationException',
  param,
});

describe('Bedrock error responses', () => {
  it.each<[string, string, Request]>([
    [
      'max_tokens',
      modelError('max_tokens: 100000 > 64000, which is the maximum allowed'),
      { max_tokens: 100_000 },
    ],
    [
      'max_completion_tokens',
      '`maxTokens` must be unset when reasoningConfig type is enabled',
      { max_completion_tokens: 5 },
    ],
    ['temperature', modelError('`temperature` is deprecated for this model.'), { temperature: 0.1 }],
    [
      'stop',
      "This model doesn't support the stopSequences field. Remove stopSequences and try again.",
      { stop: ['a'] },
    ],
    [
      'tool_choice',
      "This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and try again.",
      { tool_choice: 'required', tools: [{ type: 'function', function: { name: 'f' } }] },
    ],
    [
      'tools',
      modelError('tools.0.custom: too many'),
      { tools: [{ type: 'function', function: { name: 'f' } }] },
    ],
    [
      'response_format.json_schema.schema',
      modelError("output_config.format.schema: For 'array' type, property 'maxItems' is not supported"),
      { response_format: { type: 'json_schema', json_schema: { name: 'r', schema: { type: 'object' } } } },
    ],
    ['reasoning_effort', modelError("Unknown parameter: 'reasoning_effort'."), { reasoning_effort: 'high' }],
    ['thinking', modelError('thinking.enabled.budget_tokens: too small'), { thinking: { type: 'enabled' } }],
    [
      'messages',
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
      {},
    ],
  ])('sets param %s of the request for the message: %s', async (param, message, request) => {
    expect(await errorFor(message, { request })).toEqual(validationError(param));
  });

  it.each(['This feature is not supported.', modelError('`temperature` is deprecated for this model.')])(
    'sets param to null when the message names no parameter of the request: %s',
    async (message) => {
      expect(await errorFor(message)).toEqual(validationError(null));
    },
  );

  it.each([
    'Input is too long for requested model.',
    modelError('prompt is too long: 200049 tokens > 200000 maximum'),
  ])('reports a prompt that is too long as context_length_exceeded: %s', async (message) => {
    for (const failure of [{}, { status: 424, type: 'ModelErrorException' }]) {
      expect(await errorFor(message, failure)).toEqual({
        status: 400,
        code: 'provider_rejected_request',
        providerCode: 'context_length_exceeded',
        param: 'messages',
      });
    }
  });

  it('maps ResourceNotFoundException to a 400 when the resource is not the model', async () => {
    const message = 'The guardrail identifier or version provided in the request does not exist.';

    expect(await errorFor(message, { status: 404, type: 'ResourceNotFoundException' })).toEqual({
      status: 400,
      code: 'provider_rejected_request',
      providerCode: 'ResourceNotFoundException',
      param: null,
    });
  });

  it('reads an error response without an error type as provider_error', async () => {
    const response = await callBedrock({}, { status: 502, headers: {}, body: ['<html>Bad gateway</html>'] });

    expect(response).toMatchObject({
      kind: 'failure',
      requestId: null,
      error: {
        code: 'provider_error',
        status: 502,
        message: 'The provider bedrock returned status 502',
      },
    });
  });
});
