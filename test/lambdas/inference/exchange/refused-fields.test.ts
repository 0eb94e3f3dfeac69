import { describe, expect, it } from 'vitest';
import { refusedField } from '#lambdas/inference/exchange/refused-fields.ts';
import type { OptionalField } from '#lambdas/inference/providers/provider.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';

const found = (message: string, param: string | null, omitted: OptionalField[] = [], stream = true) =>
  refusedField(
    {
      error: new GatewayError('provider_rejected_request', { message, ...(param !== null && { param }) }),
    },
    { request: { stream }, omitted },
  );

const functionsOnly =
  "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.";

describe('A refused field', () => {
  it.each<[string, string | null, OptionalField | null]>([
    ['Unrecognized request argument supplied: stream_options', null, 'stream_options'],
    ['Extra inputs are not permitted', 'stream_options.include_usage', 'stream_options'],
    ['Unrecognized request argument supplied: reasoning_effort', null, 'reasoning_effort'],
    ['Argument not supported on this model: reasoningEffort', null, 'reasoning_effort'],
    ["Input should be 'none', 'low', 'medium' or 'high'", 'output_config.effort', 'reasoning_effort'],
    ['Input should be one of these', 'thinking', 'reasoning_effort'],
    ['"llama3.2" does not support thinking', null, 'reasoning_effort'],
    ['think value "medium" is not supported for this model', null, 'reasoning_effort'],
    [
      `invalid reasoning value: 'xhigh' (must be "high", "medium", "low", or "none")`,
      null,
      'reasoning_effort',
    ],
    [functionsOnly, 'thinking', 'reasoning'],
    [
      'Your organization must be verified to generate reasoning summaries. Please go to: …',
      'thinking.display',
      'reasoning_summary',
    ],
    [
      "Unsupported parameter: 'reasoning.summary' is not supported with this model.",
      null,
      'reasoning_summary',
    ],
    ["Unsupported parameter: 'reasoning.effort' is not supported with this model.", null, 'reasoning_effort'],
    ['Encrypted content is not supported with this model.', null, 'encrypted_reasoning'],
    ['The encrypted content for item rs_1 could not be verified.', 'input', null],
    ['The temperature is too high', 'temperature', null],
  ])('is found by its name: %s (%s)', (message, param, field) => {
    expect(found(message, param)).toBe(field);
  });

  it.each<[string, OptionalField[], OptionalField | null]>([
    [functionsOnly, ['reasoning_effort'], 'reasoning'],
    [functionsOnly, ['reasoning'], 'reasoning_effort'],
    [functionsOnly, ['reasoning', 'reasoning_effort'], null],
    ['Unknown field stream_options', ['stream_options'], null],
  ])('is none that was left out already: %s (%j)', (message, omitted, field) => {
    expect(found(message, null, omitted)).toBe(field);
  });

  it('is not that of streams for a request without a stream', () => {
    expect(found('Unknown field stream_options', null, [], false)).toBeNull();
  });
});
