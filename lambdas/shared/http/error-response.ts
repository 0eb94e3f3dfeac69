/** The one place where an error becomes an answer. */
import { GatewayError } from '../domain/gateway-error.ts';

export interface ErrorResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

/** The error as the caller may see it. One that is not expected is logged, without its message: that may quote a prompt. */
export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const { name, code, at } = describe(error);
  console.error(JSON.stringify({ level: 'ERROR', event: 'unexpected_error', error: name, code, at }));
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

/** What helps to find the fault and quotes nothing: the kind of error and the place that it was thrown at. */
function describe(error: unknown): { name: string; code: string | null; at: string | null } {
  if (!(error instanceof Error)) return { name: typeof error, code: null, at: null };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  const at = /^\s+at .*?([^\s/\\(]+:\d+:\d+)\)?$/m.exec(error.stack ?? '')?.[1] ?? null;
  return { name: error.name, code, at };
}
