/** The one place where an error becomes a response. */
import { isServiceAway } from '../aws/unavailable.ts';
import { GatewayError } from '../errors.ts';
import { errorFields, log } from '../log.ts';

export interface ErrorResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

/** The error as the caller may see it. An unexpected one is logged. */
export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  if (isServiceAway(error)) {
    log.error('service_unavailable', errorFields(error));
    return new GatewayError('service_unavailable', {
      message: 'The gateway cannot reach its own data at the moment: send the request again',
      headers: { 'retry-after': '1' },
    });
  }
  log.error('unexpected_error', errorFields(error));
  return new GatewayError('internal_error', { message: 'The gateway failed to handle the request' });
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
