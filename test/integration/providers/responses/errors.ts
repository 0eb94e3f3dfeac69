/** Errors of the Responses API as clients receive them: the provider's own bytes, and those of the gateway. */
import { expect, it } from 'vitest';
import type { RunningResponses } from './running.ts';

const user = { role: 'user', content: 'Hi' };

export function describeErrors({ gateway, upstreamOf }: RunningResponses): void {
  async function send(path: string, { method = 'POST', body }: { method?: string; body?: object } = {}) {
    const { chatUrl, apiKey } = gateway();
    const response = await fetch(`${chatUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  it.each<[status: number, fields: object, param: string | null, code: string | null, message: string]>([
    [
      400,
      { no_such_parameter: 1 },
      'no_such_parameter',
      'unknown_parameter',
      "Unknown parameter: 'no_such_parameter'.",
    ],
    [
      400,
      { stream_options: { include_usage: true }, stream: true },
      'stream_options.include_usage',
      'unknown_parameter',
      "Unknown parameter: 'stream_options.include_usage'.",
    ],
    [
      400,
      { input: [user, { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' }] },
      'input',
      null,
      'No tool output found for function call call_1.',
    ],
    [
      400,
      {
        input: [
          user,
          { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAA-of-another-account' },
        ],
      },
      'input',
      'invalid_encrypted_content',
      'The encrypted content for item rs_1 could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
    ],
    [
      400,
      { model: 'openai/no-such-model' },
      'model',
      'model_not_found',
      "The requested model 'no-such-model' does not exist.",
    ],
    [
      404,
      { model: 'azure/no-such-model' },
      null,
      'DeploymentNotFound',
      'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.',
    ],
  ])('have the provider’s errors: %i for %o', async (status, fields, param, code, message) => {
    const body = { model: 'openai/gpt-5.4', input: 'Hi', ...fields };

    const response = await send('/ai/v1/responses', { body });

    expect(response.status).toBe(status);
    expect(JSON.parse(response.text)).toEqual({
      error: { type: 'invalid_request_error', message, param, code },
    });
    expect(response.headers.get('x-request-id')).toBe(upstreamOf(body.model).requests.at(-1)?.requestId);
  });

  it.each<[status: number, fields: object, param: string, code: string, message: string]>([
    [
      400,
      { previous_response_id: 'resp_unknown' },
      'previous_response_id',
      'previous_response_not_found',
      "Previous response with id 'resp_unknown' not found.",
    ],
    [
      404,
      { input: [{ type: 'item_reference', id: 'msg_unknown' }] },
      'input',
      'not_found',
      "Item with id 'msg_unknown' not found. Items are not persisted when `store` is set to false.",
    ],
  ])(
    'do not reach the provider when they name the contents of others: %i for %o',
    async (status, fields, param, code, message) => {
      const before = upstreamOf('openai/').requests.length;

      const { status: received, text } = await send('/ai/v1/responses', {
        body: { model: 'openai/gpt-5.4', input: 'Hi', ...fields },
      });

      expect([received, JSON.parse(text).error]).toEqual([
        status,
        { type: 'invalid_request_error', message: expect.stringContaining(message), param, code },
      ]);
      expect(upstreamOf('openai/').requests).toHaveLength(before);
    },
  );

  it.each([
    ['GET', '/ai/v1/responses', 426],
    ['GET', '/ai/v1/responses/resp_1', 404],
    ['POST', '/ai/v1/responses/compact', 404],
  ])('have none for %s %s: %i', async (method, path, status) => {
    const response = await send(path, { method });

    expect(response.status).toBe(status);
    expect(JSON.parse(response.text).error.message).toMatch(/POST|whole response/);
  });
}
