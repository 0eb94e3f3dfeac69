import { jsonResponse, type Respond } from '../upstream-responses.ts';

const errorsByStatus: Record<number, object> = {
  400: { message: 'This value is not accepted.', param: 'temperature', code: 'invalid_value' },
  401: { message: 'The API key is not correct.', code: 'invalid_api_key' },
  403: { message: 'This country is not supported.', code: 'unsupported_country_region_territory' },
  404: { message: 'There is no such model.', code: 'model_not_found' },
  413: { message: 'The request is too large.' },
  422: { message: 'The request cannot be processed.' },
  429: { message: 'The rate limit was reached.', type: 'tokens', code: 'rate_limit_exceeded' },
};

/** Builds an error in OpenAI's format. Omitted fields default to those that OpenAI sends for the status. */
export function errorResponse(
  status: number,
  { headers, error }: { headers?: Record<string, string>; error?: object } = {},
): Respond {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  const defaults = { message: 'The server had an error.', type, param: null, code: null };
  const retryAfter: Record<string, string> = status === 429 ? { 'retry-after': '7' } : {};
  const body = { error: { ...defaults, ...errorsByStatus[status], ...error } };
  return jsonResponse(body, { status, headers: { ...retryAfter, ...headers } });
}
