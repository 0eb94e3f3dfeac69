/** Removes the gateway's credential from a provider's texts, in case the provider echoes it. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { BilledPart } from '#lambdas/pricing/usage.ts';
import { type ResponseFacts, StatedError } from '../completion/facts.ts';

/** A shorter credential is a placeholder for a server that checks none, and would match ordinary words. */
const minCredentialLength = 4;

const maxMessageLength = 2000;
const maxNameLength = 100;

export function redact(text: string, credential: string | null): string {
  if (credential === null || credential.length < minCredentialLength) return text;
  return text.replaceAll(credential, '*'.repeat(credential.length));
}

/**
 * Redacts the error's texts and then truncates them. In the other order, a part of the credential at the end of the
 * truncated text would not be recognized. An error that the provider states loses its original words.
 */
export function redactError(error: GatewayError, credential: string | null): GatewayError {
  const redactAndTruncate = (text: string, maxLength: number) => redact(text, credential).slice(0, maxLength);
  const { param, providerCode, providerType, isMessageLogged, status, headers } = error;
  const Redacted = error instanceof StatedError ? StatedError : GatewayError;
  return new Redacted(error.code, {
    message: redactAndTruncate(error.message, maxMessageLength),
    status,
    headers,
    ...(param !== null && { param: redactAndTruncate(param, maxNameLength) }),
    ...(providerCode !== null && { providerCode: redactAndTruncate(providerCode, maxNameLength) }),
    ...(providerType !== null && { providerType: redactAndTruncate(providerType, maxNameLength) }),
    ...(isMessageLogged !== null && { isMessageLogged }),
  });
}

export function redactFacts(facts: ResponseFacts, credential: string | null): ResponseFacts {
  const redactText = (text: string | null) => text && redact(text, credential);
  const [first, ...others] = facts.billedParts ?? [];
  const redactPart = (part: BilledPart) => ({ ...part, model: redactText(part.model) });
  return {
    responseModel: redactText(facts.responseModel),
    responseId: redactText(facts.responseId),
    serviceTier: redactText(facts.serviceTier),
    speed: redactText(facts.speed),
    inferenceGeo: redactText(facts.inferenceGeo),
    usage: facts.usage,
    billedParts: first === undefined ? null : [redactPart(first), ...others.map(redactPart)],
    usageWarnings: facts.usageWarnings,
    pricingGaps: facts.pricingGaps,
    reportedCostUsd: facts.reportedCostUsd,
    finishReason: redactText(facts.finishReason),
  };
}
