/** Decides which failures of an attempt another target may make good, and which of them keep further requests from the target. */
import type { GatewayError } from '#lambdas/platform/errors.ts';

export interface FallbackCause {
  /** Only a target with a larger context can serve the request. */
  isContextTooSmall: boolean;
  /** Whether further requests skip the target for a while. */
  isFailing: boolean;
  /** The operator must act: the credential, its permissions or the model's name are wrong. */
  isMisconfigured: boolean;
}

/** An account without credit, and a base URL or deployment that does not exist. */
const operatorStatuses = [402, 404];

const failing: FallbackCause = { isContextTooSmall: false, isFailing: true, isMisconfigured: false };

/**
 * Returns `null` for an error that every target would repeat, such as an invalid request or a refused prompt, and for failures of
 * the gateway itself. `status` is that of the provider's response; `null` if it has none.
 */
export function fallbackCauseOf(
  { code, providerCode }: GatewayError,
  status: number | null,
): FallbackCause | null {
  if (status !== null && operatorStatuses.includes(status) && code === 'provider_error') {
    return { ...failing, isMisconfigured: true };
  }
  switch (code) {
    case 'provider_authentication_failed':
    case 'model_not_found':
      return { ...failing, isMisconfigured: true };
    case 'rate_limit_exceeded':
    case 'provider_error':
    case 'provider_timeout':
    case 'provider_unavailable':
      return failing;
    case 'provider_rejected_request':
      return providerCode === 'context_length_exceeded'
        ? { ...failing, isContextTooSmall: true, isFailing: false }
        : null;
    default:
      return null;
  }
}
