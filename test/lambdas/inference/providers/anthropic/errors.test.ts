import { describe, expect, it } from 'vitest';
import { callAnthropic } from '#test/support/providers/anthropic/call.ts';
import { type ScriptedResponse, translatedChunks } from '#test/support/providers/provider-call.ts';

async function errorFor(response: ScriptedResponse, request: Record<string, unknown> = {}) {
  const { response: providerResponse } = await callAnthropic(request, { response });
  if (providerResponse.kind !== 'failure')
    throw new Error(`Expected a failure, not a ${providerResponse.kind}`);
  return providerResponse.error;
}

const errorBody = (type: string, message: string) => ({
  type: 'error',
  error: { type, message },
  request_id: 'r',
});

describe('Anthropic error responses', () => {
  it.each([
    ['invalid_request_error', 400, 400, 'provider_rejected_request'],
    ['authentication_error', 401, 502, 'provider_authentication_failed'],
    ['permission_error', 403, 502, 'provider_authentication_failed'],
    ['request_too_large', 413, 413, 'provider_rejected_request'],
    ['rate_limit_error', 429, 429, 'rate_limit_exceeded'],
    ['api_error', 500, 502, 'provider_error'],
    ['timeout_error', 504, 504, 'provider_timeout'],
    ['overloaded_error', 529, 503, 'provider_unavailable'],
    ['billing_error', 402, 502, 'provider_error'],
  ])('maps %s (%d) to status %d and %s', async (type, status, expected, code) => {
    const error = await errorFor({ status, body: errorBody(type, 'The reason.') });

    expect(error).toMatchObject({ status: expected, code });
    expect(error.message.includes('The reason.')).toBe(code !== 'provider_authentication_failed');
  });

  it('keeps the error type as provider code, and retry-after', async () => {
    const error = await errorFor({
      status: 429,
      headers: { 'retry-after': '17' },
      body: errorBody('rate_limit_error', 'Too many'),
    });

    expect(error).toMatchObject({
      providerCode: 'rate_limit_error',
      message: 'Too many',
      headers: { 'retry-after': '17' },
    });
  });

  it('maps not_found_error for the model to model_not_found', async () => {
    const error = await errorFor(
      { status: 404, body: errorBody('not_found_error', 'model: claude-haiku-9') },
      { model: 'claude-haiku-9' },
    );

    expect(error).toMatchObject({ status: 400, code: 'model_not_found', param: 'model' });
  });

  it('maps an exhausted credit balance to provider_error', async () => {
    const message =
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.';

    expect(await errorFor({ status: 400, body: errorBody('invalid_request_error', message) })).toMatchObject({
      status: 502,
      code: 'provider_error',
      message,
    });
  });

  it.each(['<html>502 Bad Gateway</html>', '', '[]', '"no"'])(
    'reports only the status of a malformed error body: %j',
    async (text) => {
      const headers = { 'content-type': 'text/html' };

      expect(await errorFor({ status: 502, headers, body: [text] })).toMatchObject({
        status: 502,
        code: 'provider_error',
        message: 'The provider anthropic returned status 502',
      });
    },
  );
});

describe('The param of Anthropic errors', () => {
  it.each([
    ['max_tokens: 99999 > 64000, which is the maximum', { max_tokens: 99_999 }, 'max_tokens'],
    ['max_tokens: 99999 > 64000', { max_completion_tokens: 99_999 }, 'max_completion_tokens'],
    ['`max_tokens` must be greater than `thinking.budget_tokens`.', {}, 'max_tokens'],
    ['temperature: range: 0..1', { temperature: 1.5 }, 'temperature'],
    ['`temperature` and `top_p` cannot both be specified', { temperature: 0.5 }, 'temperature'],
    ['top_k: Input should be greater than 0', { top_k: -1 }, 'top_k'],
    ['stop_sequences: each stop sequence must contain non-whitespace', { stop: [' '] }, 'stop'],
    ["tool_choice: Tool 'a' not found", {}, 'tool_choice'],
    ['Thinking may not be enabled when tool_choice forces tool use.', {}, 'tool_choice'],
    ['tools.2.custom.name: String should match pattern', {}, 'tools[2]'],
    ['tools: Tool names must be unique.', {}, 'tools'],
    ['messages.0.content.1.image.source: bad', {}, 'messages'],
    ['messages: at least one message is required', {}, 'messages'],
    ['system: text content blocks must be non-empty', {}, 'messages'],
    [
      "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
      { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } } },
      'response_format.json_schema.schema',
    ],
    ['output_config.format: not supported', { response_format: { type: 'text' } }, 'response_format'],
    ['output_config.format: bad', { output_config: { format: 1 } }, 'output_config'],
    ['This model does not support the effort parameter.', { reasoning_effort: 'low' }, 'reasoning_effort'],
    [
      '"thinking.type.enabled" is not supported for this model.',
      { thinking: { type: 'enabled' } },
      'thinking',
    ],
    ['metadata.user_id: too long', { user: 'a' }, 'user'],
    ['metadata.user_id: too long', { safety_identifier: 'a' }, 'safety_identifier'],
    ['metadata.user_id: too long', { metadata: { user_id: 'a' } }, 'metadata'],
    ['top_banana: Extra inputs are not permitted', { top_banana: 1 }, 'top_banana'],
    ['prompt is too long: 200001 tokens > 200000 maximum', {}, 'messages'],
    ['An error message of the future', {}, null],
  ])("sets the param to the caller's parameter: %s", async (message, request, param) => {
    const error = await errorFor({ status: 400, body: errorBody('invalid_request_error', message) }, request);

    expect(error).toMatchObject({ status: 400, message });
    expect(error.param ?? null).toBe(param);
  });

  it.each([200, 400, 413])(
    'reports a prompt that is too long as context_length_exceeded (%i)',
    async (status) => {
      const message = 'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000';
      const body = errorBody('invalid_request_error', message);
      const expected = { status: 400, message, providerCode: 'context_length_exceeded', param: 'messages' };
      if (status !== 200) return expect(await errorFor({ status, body })).toMatchObject(expected);
      const event = `event: error\ndata: ${JSON.stringify(body)}\n\n`;
      const { response } = await callAnthropic({ stream: true }, { response: { body: [event] } });
      if (response.kind !== 'success') throw new Error('Expected a stream');
      await translatedChunks(response);
      expect(response.reader.facts.error).toMatchObject(expected);
    },
  );

  it('sets no param when the error is not about the request', async () => {
    const error = await errorFor({
      status: 529,
      body: errorBody('overloaded_error', 'messages: Overloaded'),
    });

    expect(error.param ?? null).toBeNull();
  });
});

describe('Anthropic stream errors', () => {
  it.each([
    ['overloaded_error', 503],
    ['rate_limit_error', 429],
    ['api_error', 502],
    ['authentication_error', 502],
    ['invalid_request_error', 400],
    ['timeout_error', 504],
    ['error_of_the_future', 502],
  ])('maps the stream error %s to status %d', async (type, status) => {
    const event = `event: error\ndata: ${JSON.stringify(errorBody(type, 'No.'))}\n\n`;
    const { response } = await callAnthropic({ stream: true }, { response: { body: [event] } });
    if (response.kind !== 'success') throw new Error('Expected a stream');
    await translatedChunks(response);

    expect(response.reader.facts.error).toMatchObject({ status });
  });
});
