/** Errors as OpenAI answers them. */

import { type Answer, jsonAnswer } from '../upstream-answers.ts';
import type { Refusal } from './openai-dialect.ts';

/** An error in OpenAI's shape; what is not said is what OpenAI says for this status. */
export function errorAnswer(
  status: number,
  options: { headers?: Record<string, string>; error?: object } = {},
): Answer {
  const { body, headers } = openaiError(status, options.error);
  return jsonAnswer(body, { status, headers: { ...headers, ...options.headers } });
}

interface OpenAIError {
  message: string;
  type: string;
  param: string | null;
  code: string | null;
}

const errorsByStatus: Record<number, Partial<OpenAIError>> = {
  400: { message: 'This value is not accepted.', param: 'temperature', code: 'invalid_value' },
  401: { message: 'The API key is not correct.', code: 'invalid_api_key' },
  403: { message: 'This country is not supported.', code: 'unsupported_country_region_territory' },
  404: { message: 'There is no such model.', code: 'model_not_found' },
  413: { message: 'The request is too large.' },
  422: { message: 'The request cannot be processed.' },
  429: { message: 'The rate limit was reached.', type: 'tokens', code: 'rate_limit_exceeded' },
};

export function openaiError(status: number, error: object = {}): Refusal {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  const usual: OpenAIError = { message: 'The server had an error.', type, param: null, code: null };
  return {
    status,
    ...(status === 429 && { headers: { 'retry-after': '7' } }),
    body: { error: { ...usual, ...errorsByStatus[status], ...error } },
  };
}
