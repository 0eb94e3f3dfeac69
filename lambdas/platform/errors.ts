/** The error that becomes a response, with the HTTP status and OpenAI's error type of each error code. */

export type ErrorType = 'invalid_request_error' | 'authentication_error' | 'rate_limit_error' | 'api_error';

export const errorDefinitions = {
  invalid_request_error: { status: 400, type: 'invalid_request_error' },
  unsupported_parameter: { status: 400, type: 'invalid_request_error' },
  model_not_found: { status: 400, type: 'invalid_request_error' },
  /** None of the targets of a route can serve the request. */
  no_suitable_target: { status: 400, type: 'invalid_request_error' },
  provider_not_configured: { status: 400, type: 'invalid_request_error' },
  provider_rejected_request: { status: 400, type: 'invalid_request_error' },
  invalid_api_key: { status: 401, type: 'authentication_error' },
  invalid_session: { status: 401, type: 'authentication_error' },
  /** The function `Session` must renew the session first: the page calls it, and then repeats the call. */
  session_renewal_due: { status: 401, type: 'authentication_error' },
  forbidden: { status: 403, type: 'invalid_request_error' },
  model_not_allowed: { status: 403, type: 'invalid_request_error' },
  model_not_priced: { status: 403, type: 'invalid_request_error' },
  not_found: { status: 404, type: 'invalid_request_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  /** The state of something does not allow the change, such as the role of the last owner. */
  conflict: { status: 409, type: 'invalid_request_error' },
  request_too_large: { status: 413, type: 'invalid_request_error' },
  unsupported_media_type: { status: 415, type: 'invalid_request_error' },
  websocket_not_supported: { status: 426, type: 'invalid_request_error' },
  rate_limit_exceeded: { status: 429, type: 'rate_limit_error' },
  insufficient_quota: { status: 429, type: 'rate_limit_error' },
  internal_error: { status: 500, type: 'api_error' },
  provider_authentication_failed: { status: 502, type: 'api_error' },
  provider_error: { status: 502, type: 'api_error' },
  service_unavailable: { status: 503, type: 'api_error' },
  provider_unavailable: { status: 503, type: 'api_error' },
  provider_timeout: { status: 504, type: 'api_error' },
  /** API Gateway's own: the function took longer than an integration may. */
  timeout: { status: 504, type: 'api_error' },
} as const satisfies Record<string, { status: number; type: ErrorType }>;

export type ErrorCode = keyof typeof errorDefinitions;

export const errorCodes = Object.keys(errorDefinitions) as ErrorCode[];

export interface GatewayErrorDetails {
  message: string;
  param?: string;
  /** Replaces the status of the error code, to pass on the provider's status. */
  status?: number;
  /** Replaces the gateway's error code in the response body. */
  providerCode?: string;
  /** The type of the error in the provider's words. */
  providerType?: string;
  /**
   * Whether the log entry keeps the message. Default: only that of a request for which no provider was called, since a
   * provider's message may quote the request. A message that is kept names models and parameters, but quotes no content.
   */
  isMessageLogged?: boolean;
  /** Names in lower case. */
  headers?: Record<string, string>;
  /** The result of an earlier, equal call. */
  created?: { id: string };
}

export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly param: string | null;
  readonly providerCode: string | null;
  readonly providerType: string | null;
  readonly isMessageLogged: boolean | null;
  readonly headers: Record<string, string>;
  readonly created: { id: string } | null;

  constructor(code: ErrorCode, details: GatewayErrorDetails) {
    super(details.message);
    this.name = 'GatewayError';
    this.code = code;
    this.status = details.status ?? errorDefinitions[code].status;
    this.param = details.param ?? null;
    this.providerCode = details.providerCode ?? null;
    this.providerType = details.providerType ?? null;
    this.isMessageLogged = details.isMessageLogged ?? null;
    this.headers = details.headers ?? {};
    this.created = details.created ?? null;
  }

  toBody(): ErrorBody {
    const { type } = errorDefinitions[this.code];
    return {
      error: { message: this.message, type, param: this.param, code: this.providerCode ?? this.code },
      ...(this.created && { created: this.created }),
    };
  }
}

export interface ErrorBody {
  error: { message: string; type: ErrorType; param: string | null; code: string };
  /** In a 409 to a call that was made before with the same `idempotency-key`, and whose response cannot be repeated. */
  created?: { id: string };
}

/** `param` is the invalid body field, query parameter or header. */
export function invalidRequestError(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request_error', { param, message });
}

/** In the gateway's own words, which log entries keep: it quotes nothing of the request or the response. */
export function unusableResponseError(message: string): GatewayError {
  return new GatewayError('provider_error', { message, isMessageLogged: true });
}

export function unsupportedParameterError(param: string, message: string): GatewayError {
  return new GatewayError('unsupported_parameter', { param, message });
}
