/** The error codes of log entries in words. */
import type { LogEntry } from '#lambdas/request-log/entry.ts';

/** Explains error codes, and says how to react. */
const explanations: Record<string, string> = {
  invalid_request_error:
    'The request did not have the form that the API requires. The response named the parameter.',
  unsupported_parameter: 'The provider of the model does not support a parameter of the request.',
  model_not_found: 'There is no such model. Models lists all names.',
  no_suitable_target: 'No target of the route can serve the request. The response gave the reason of each.',
  model_not_allowed: 'The key, or its organization, may not use this model.',
  provider_not_configured: 'The operator has not set up the provider of this model.',
  request_too_large: 'The request body is larger than the gateway accepts.',
  unsupported_media_type: 'The request body was not JSON.',
  provider_rejected_request: 'The provider refused the request as invalid.',
  rate_limit_exceeded:
    'The provider allowed no more requests at that time. Send fewer at once, or ask it for a higher limit.',
  insufficient_quota: 'The provider’s account has no credit left.',
  model_not_priced: 'The model has no known price, which a hard budget requires.',
  internal_error: 'The gateway failed. Its log has the reason.',
  service_unavailable: 'A service that the gateway needs was unavailable. Try again.',
  provider_authentication_failed:
    'The provider refused the gateway’s credential. The operator has to replace it.',
  provider_error: 'The provider failed.',
  provider_unavailable: 'The provider was overloaded or could not be reached.',
  provider_timeout: 'The provider did not respond in time.',
  interrupted: 'The gateway stopped before the response ended.',
  content_filter: 'The provider’s content filter refused the request.',
  content_policy_violation: 'The provider refused the request for its content policy.',
  context_length_exceeded: 'The messages and the requested output are longer than the model’s context.',
  billing_hard_limit_reached: 'The provider’s account has reached its spending limit.',
  billing_not_active: 'The provider’s account has no active billing.',
  slow_down: 'The provider asked for fewer requests for some minutes.',
  server_error: 'The provider failed.',
  server_is_overloaded: 'The provider was overloaded.',
};

/** Codes of the gateway that providers have, too. */
const explanationsOfRejections: Record<string, string> = {
  rate_limit_exceeded: 'A rate limit of the gateway allowed no more requests at that time.',
  insufficient_quota: 'A budget with a hard limit had too little left.',
};

/** Returns `null` for codes that only the provider's documentation explains. */
export function explainError({
  error_code: code,
  outcome,
}: Pick<LogEntry, 'error_code' | 'outcome'>): string | null {
  if (code === null) return null;
  const known = outcome === 'rejected' ? { ...explanations, ...explanationsOfRejections } : explanations;
  return Object.hasOwn(known, code) ? (known[code] ?? null) : null;
}
