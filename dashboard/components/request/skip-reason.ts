/** Why a request is not sent to a target of its route, in words. */
import type { SkippedTarget, SkipReason } from '#lambdas/request-log/fields/skipped-target.ts';

const texts: Record<SkipReason, string> = {
  failing: 'it has failed a moment ago, and is tried again later',
  unsupported: 'it does not support a feature of the request',
  unknown_model: 'its provider has no such model or operation',
  not_configured: 'its provider is not set up',
  not_priced: 'it has no price, and a hard budget applies',
  different_model: 'its embeddings cannot be compared with those of the first target',
  context_too_small: 'it is not known to take longer requests than the target before it',
};

/** Follows the name of the target and a colon. */
export function skipReasonText({ reason, param }: Pick<SkippedTarget, 'reason' | 'param'>): string {
  return reason === 'unsupported' && param !== null ? `it does not support ${param}` : texts[reason];
}
