/** Classifies connection errors by whether the request may be sent again. */
import { GatewayError, type GatewayErrorDetails } from '#lambdas/platform/errors.ts';

/**
 * The provider was not reached, or closed the connection before it could process the request, which may therefore be
 * sent again after `retryDelayMs`.
 */
export class ConnectError extends GatewayError {
  readonly retryDelayMs: number;

  constructor(error: NodeJS.ErrnoException, retryDelayMs: number) {
    super('provider_unavailable', unreachableDetails(error));
    this.retryDelayMs = retryDelayMs;
  }
}

/** The whole request was sent, but no response arrived: the provider may be processing it. */
export class UnansweredError extends GatewayError {
  constructor({ code, message, status }: GatewayError) {
    super(code, { message, status, isMessageLogged: true });
  }
}

/** A keep-alive connection was closed before the whole request was written, so the provider cannot have processed it. */
export class StaleConnectionError extends Error {}

export class TruncatedResponseError extends GatewayError {
  constructor(error: unknown) {
    const message = `The provider's response was truncated (${errorCodeOf(error)})`;
    super('provider_error', { message, isMessageLogged: true });
  }
}

interface ConnectionState {
  isReused: boolean;
  /** When false, the provider may have started processing the request, and a retry could be billed twice. */
  isWithinRoundTrip: boolean;
}

const reconnectDelayMs = 100;

export function toConnectionError(
  error: NodeJS.ErrnoException,
  { isReused, isWithinRoundTrip }: ConnectionState,
): Error {
  switch (error.code) {
    case 'ECONNREFUSED':
    case 'EAI_AGAIN':
      return new ConnectError(error, reconnectDelayMs);
    case 'ECONNRESET':
    case 'EPIPE':
      if (isReused && error.syscall === 'write') return new StaleConnectionError();
      return isWithinRoundTrip ? new ConnectError(error, isReused ? 0 : reconnectDelayMs) : error;
    default:
      return error;
  }
}

export function toUnavailableError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return new GatewayError('provider_unavailable', unreachableDetails(error));
}

function unreachableDetails(error: unknown): GatewayErrorDetails {
  const message = `The provider could not be reached (${errorCodeOf(error)})`;
  return { message, status: 502, isMessageLogged: true };
}

function errorCodeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'connection error';
}
