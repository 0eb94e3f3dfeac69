/** The one error class: a code says which status and type the caller sees. */

/** OpenAI's error types. */
export type ErrorType = 'invalid_request_error' | 'authentication_error' | 'rate_limit_error' | 'api_error';

const errors = {
  invalid_request_error: { status: 400, type: 'invalid_request_error' },
  unsupported_parameter: { status: 400, type: 'invalid_request_error' },
  model_not_found: { status: 400, type: 'invalid_request_error' },
  provider_not_configured: { status: 400, type: 'invalid_request_error' },
  invalid_api_key: { status: 401, type: 'authentication_error' },
  not_found: { status: 404, type: 'invalid_request_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  request_too_large: { status: 413, type: 'invalid_request_error' },
  unsupported_media_type: { status: 415, type: 'invalid_request_error' },
  provider_rejected_request: { status: 400, type: 'invalid_request_error' },
  rate_limit_exceeded: { status: 429, type: 'rate_limit_error' },
  internal_error: { status: 500, type: 'api_error' },
  service_unavailable: { status: 503, type: 'api_error' },
  provider_authentication_failed: { status: 502, type: 'api_error' },
  provider_error: { status: 502, type: 'api_error' },
  provider_unavailable: { status: 503, type: 'api_error' },
  provider_timeout: { status: 504, type: 'api_error' },
} as const satisfies Record<string, { status: number; type: ErrorType }>;

export type ErrorCode = keyof typeof errors;

export interface GatewayErrorDetails {
  message: string;
  /** The field at fault: a body field, a query parameter or a header. */
  param?: string;
  /** Where the provider's own status is passed on instead of the code's. */
  status?: number;
  /** The provider's own code, shown to the caller instead of ours. */
  providerCode?: string;
  /** Headers of the answer, such as `retry-after`; names in lower case. */
  headers?: Record<string, string>;
}

export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly param: string | null;
  readonly providerCode: string | null;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, details: GatewayErrorDetails) {
    super(details.message);
    this.name = 'GatewayError';
    this.code = code;
    this.status = details.status ?? errors[code].status;
    this.param = details.param ?? null;
    this.providerCode = details.providerCode ?? null;
    this.headers = details.headers ?? {};
  }

  /** The body that the caller gets, in OpenAI's shape. */
  toBody(): ErrorBody {
    const { type } = errors[this.code];
    return {
      error: { message: this.message, type, param: this.param, code: this.providerCode ?? this.code },
    };
  }
}

export interface ErrorBody {
  error: { message: string; type: ErrorType; param: string | null; code: string };
}

/** A request that is wrong in `param`. */
export function invalidRequest(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request_error', { param, message });
}
