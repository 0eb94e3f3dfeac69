/** Keeps a provider's words for a caller who uses the provider's format. */
import { type OriginalError, StatedError } from '#lambdas/inference/completion/facts.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';

/** A redirect, and an error about the gateway's credential, are not the caller's to read about. */
export function withOriginal(error: GatewayError, original: OriginalError): GatewayError {
  const isForOperator = error.code === 'provider_authentication_failed' || original.status < 400;
  if (isForOperator && !original.isSent) return error;
  const { code, message, status, headers, param, providerCode, providerType } = error;
  const texts = {
    ...(param !== null && { param }),
    ...(providerCode !== null && { providerCode }),
    ...(providerType !== null && { providerType }),
  };
  return new StatedError(code, { message, status, headers, ...texts }, original);
}
