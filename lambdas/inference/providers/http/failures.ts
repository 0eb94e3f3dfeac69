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
export class StaleConnection extends Error {}

/** The connection broke before the end of the response. */
export class TruncatedResponse extends GatewayError {
  constructor(error: unknown) {
    super('provider_error', { message: `The provider's answer broke off (${errorCodeOf(error)})` });
  }
}

export interface Circumstances {
  /** Whether the connection had been used before. */
  isKept: boolean;
  /** Whether the first round trip was still under way: a reset that comes later may be of a provider at work. */
  isEarly: boolean;
}

/** A provider that was not there may be in a moment. */
const reconnectMs = 100;

export function connectionFailure(error: NodeJS.ErrnoException, { isKept, isEarly }: Circumstances): Error {
  switch (error.code) {
    case 'ECONNREFUSED':
    case 'EAI_AGAIN':
      return new ConnectError(error, reconnectMs);
    case 'ECONNRESET':
    case 'EPIPE':
      if (isKept && error.syscall === 'write') return new StaleConnection();
      return isEarly ? new ConnectError(error, isKept ? 0 : reconnectMs) : error;
    default:
      return error;
  }
}

export function unreachable(error: unknown): GatewayError {
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
