/** The usage of an embeddings request. It has no output tokens. */
import { inputTokens, noUsage } from '#lambdas/pricing/usage.ts';
import { estimateTokens } from '../completion/estimate.ts';
import {
  type KnownFacts,
  noFacts,
  type ResponseFacts,
  responseFactsOf,
  StatedError,
} from '../completion/facts.ts';
import type { ReceivedResponse } from '../operation.ts';
import type { EmbeddingsRequest } from './request.ts';

/** The estimate for a request that was sent, while nothing is known about its response. */
export function estimateInput(request: EmbeddingsRequest): KnownFacts {
  return estimated(request, noFacts);
}

/** Estimates the input of a response without usage, and of one that broke off. */
export function completeUsage(
  { facts, isReserved }: Pick<ReceivedResponse, 'facts' | 'isReserved'>,
  request: EmbeddingsRequest,
): KnownFacts {
  const known = responseFactsOf(facts);
  const final = { facts: known, isUsageEstimated: false };
  const isReported = known.usage !== null && inputTokens(known.usage) > 0;
  if (facts.ended) return isReported || known.reportedCostUsd !== null ? final : estimated(request, known);
  if (facts.error instanceof StatedError) return final;
  if (!isReported) return estimated(request, { ...known, reportedCostUsd: null });
  // A cost that is not final must not replace a reservation.
  return { facts: isReserved ? { ...known, reportedCostUsd: null } : known, isUsageEstimated: true };
}

function estimated(request: EmbeddingsRequest, facts: ResponseFacts): KnownFacts {
  const usage = { ...noUsage, freshInputTokens: inputTokensOf(request) };
  return { facts: { ...facts, usage }, isUsageEstimated: true };
}

/** Exact for tokens, and an estimate for texts, each of which has a token at least. */
function inputTokensOf({ input }: EmbeddingsRequest): number {
  if (input.kind === 'tokens') return input.lists.reduce((sum, list) => sum + list.length, 0);
  return input.texts.reduce((sum, text) => sum + Math.max(1, estimateTokens(Buffer.byteLength(text))), 0);
}
