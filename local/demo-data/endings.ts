/** How the requests of the demo data end. */
import { minuteMs } from '#lambdas/platform/duration.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';

export type Ending =
  | { kind: 'completed'; retries?: 1 }
  /** The caller disconnects; `isUsageEstimated` if the provider's response was not read to its end. */
  | { kind: 'client_closed'; isUsageEstimated: boolean }
  /** The provider fails after this time. */
  | { kind: 'failed'; error: GatewayError; afterMs: number; retries?: 1 }
  /** The gateway refuses the request. Without a provider, the caller has not named one. */
  | { kind: 'rejected'; error: GatewayError; withProvider: boolean };

const timeoutMs = minuteMs;

export const endings = {
  completed: { kind: 'completed' },
  retried: { kind: 'completed', retries: 1 },
  disconnected: { kind: 'client_closed', isUsageEstimated: false },
  interruptedStream: { kind: 'client_closed', isUsageEstimated: true },
  rateLimit: failure('rate_limit_exceeded', 'Rate limit reached for requests', { afterMs: 140, retries: 1 }),
  serverError: failure('provider_error', 'The server had an error', {
    afterMs: 2600,
    providerCode: 'server_error',
  }),
  tooLong: failure('provider_rejected_request', 'The prompt exceeds the context window', {
    afterMs: 210,
    providerCode: 'context_length_exceeded',
  }),
  filtered: failure('provider_rejected_request', 'The content policy refused the prompt', {
    afterMs: 380,
    providerCode: 'content_filter',
  }),
  unavailable: failure('provider_unavailable', 'The provider is overloaded', { afterMs: 1900, retries: 1 }),
  timeout: failure('provider_timeout', 'The provider did not respond', { afterMs: timeoutMs }),
  unknownModel: rejection('model_not_found', 'The model is not supported', { withProvider: false }),
  quota: rejection('insufficient_quota', 'The daily budget of the API key has too little left'),
  notConfigured: rejection('provider_not_configured', 'The provider has no credential'),
} as const satisfies Record<string, Ending>;

function failure(
  code: GatewayError['code'],
  message: string,
  { afterMs, retries, providerCode }: { afterMs: number; retries?: 1; providerCode?: string },
) {
  const error = new GatewayError(code, { message, ...(providerCode !== undefined && { providerCode }) });
  return { kind: 'failed', error, afterMs, ...(retries && { retries }) } as const;
}

function rejection(code: GatewayError['code'], message: string, { withProvider } = { withProvider: true }) {
  return { kind: 'rejected', error: new GatewayError(code, { message }), withProvider } as const;
}
