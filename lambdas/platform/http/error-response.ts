/** Turns errors into responses. No other file does. */
import { isTransient } from '../aws/errors.ts';
import { GatewayError } from '../errors.ts';
import { errorFields, log } from '../telemetry/log.ts';
import type { LogMetricValues } from '../telemetry/log-metrics.ts';

export interface ErrorResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

/** Logs every error other than a `GatewayError`, without its message. */
export function logUnexpected(error: unknown, metrics: LogMetricValues = {}): void {
  if (error instanceof GatewayError) return;
  log.error(isTransient(error) ? 'service_unavailable' : 'unexpected_error', errorFields(error), metrics);
}

/** For an error that the caller gets: counts every one other than a `GatewayError` as an internal error. */
export function toGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  logUnexpected(error, { InternalErrors: 1 });
  if (!isTransient(error)) {
    const message = 'The gateway failed to handle the request';
    return new GatewayError('internal_error', { message, isMessageLogged: true });
  }
  return new GatewayError('service_unavailable', {
    message: 'The gateway cannot reach its own data at the moment: send the request again',
    isMessageLogged: true,
    headers: { 'retry-after': '1' },
  });
}

export function renderError(error: GatewayError): ErrorResponse {
  return {
    statusCode: error.status,
    headers: {
      'content-type': 'application/json',
      ...error.headers,
    },
    body: JSON.stringify(error.toBody()),
  };
}
