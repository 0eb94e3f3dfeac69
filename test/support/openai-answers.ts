/** Errors as OpenAI answers them. */
import { type Answer, jsonAnswer } from './upstream-answers.ts';

/** An error in OpenAI's shape; what is not said is what OpenAI says for this status. */
export function errorAnswer(
  status: number,
  options: { headers?: Record<string, string>; error?: object } = {},
): Answer {
  const headers = { ...(status === 429 ? { 'retry-after': '7' } : {}), ...options.headers };
  return jsonAnswer({ error: { ...openaiError(status), ...options.error } }, { status, headers });
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

function openaiError(status: number): OpenAIError {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  const message = 'The server had an error.';
  return { message, type, param: null, code: null, ...errorsByStatus[status] };
}
