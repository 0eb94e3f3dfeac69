/** What it means that a request got no response, or only a part of one: above all, whether it may be sent again. */
import { GatewayError, type GatewayErrorDetails } from '#lambdas/platform/errors.ts';

/**
 * The provider cannot have begun to work: it was not reached, or it closed the connection at once. The same request may
 * be sent again.
 */
export class ConnectError extends GatewayError {
  /** How long to wait before that. */
  readonly waitMs: number;

  constructor(error: NodeJS.ErrnoException, waitMs: number) {
    super('provider_unavailable', unreachableDetails(error));
    this.waitMs = waitMs;
  }
}

/** A kept connection was closed before all of the request was written: the provider cannot have seen it. */
export class StaleConnectionError extends Error {}

/** The connection broke before the end of the response. */
export class TruncatedResponseError extends GatewayError {
  constructor(error: unknown) {
    super('provider_error', { message: `The provider's answer broke off (${errorCodeOf(error)})` });
  }
}

export interface ConnectionState {
  /** Whether the connection had been used before. */
  isReused: boolean;
  /** Whether the first round trip was still under way: a reset that comes later may be of a provider at work. */
  isWithinRoundTrip: boolean;
}

/** A provider that was not there may be in a moment. */
const reconnectMs = 100;

export function toConnectionError(
  error: NodeJS.ErrnoException,
  { isReused, isWithinRoundTrip }: ConnectionState,
): Error {
  switch (error.code) {
    case 'ECONNREFUSED':
    case 'EAI_AGAIN':
      return new ConnectError(error, reconnectMs);
    case 'ECONNRESET':
    case 'EPIPE':
      if (isReused && error.syscall === 'write') return new StaleConnectionError();
      return isWithinRoundTrip ? new ConnectError(error, isReused ? 0 : reconnectMs) : error;
    default:
      return error;
  }
}

export function toUnavailableError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return new GatewayError('provider_unavailable', unreachableDetails(error));
}

function unreachableDetails(error: unknown): GatewayErrorDetails {
  return { message: `The provider could not be reached (${errorCodeOf(error)})`, status: 502 };
}

function errorCodeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'connection error';
}
