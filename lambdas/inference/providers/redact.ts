/** Removes the gateway's credential from what a provider says, should the provider echo it. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { ResponseFacts } from './provider.ts';

/** Shorter ones are placeholders for servers that check none; they would be found in ordinary words. */
const minCredentialLength = 4;

const maxMessageLength = 2000;
const maxNameLength = 100;

export function redact(text: string, credential: string | null): string {
  if (credential === null || credential.length < minCredentialLength) return text;
  return text.replaceAll(credential, '*'.repeat(credential.length));
}

/**
 * The error without the credential, its texts cut to the length of a message. The credential goes first: half of it
 * would still be half of it.
 */
export function redactError(error: GatewayError, credential: string | null): GatewayError {
  const shown = (text: string, maxLength: number) => redact(text, credential).slice(0, maxLength);
  const { param, providerCode, status, headers } = error;
  return new GatewayError(error.code, {
    message: shown(error.message, maxMessageLength),
    status,
    headers,
    ...(param !== null && { param: shown(param, maxNameLength) }),
    ...(providerCode !== null && { providerCode: shown(providerCode, maxNameLength) }),
  });
}

export function redactFacts(facts: ResponseFacts, credential: string | null): ResponseFacts {
  const { responseModel, usage, reportedCostUsd, finishReason } = facts;
  return {
    responseModel: responseModel && redact(responseModel, credential),
    usage,
    reportedCostUsd,
    finishReason: finishReason && redact(finishReason, credential),
  };
}
