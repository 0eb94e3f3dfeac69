/** Why a request was not sent to a target of its route, in words. */
import type { SkippedTarget, SkipReason } from '#lambdas/request-log/fields/skipped-target.ts';

const texts: Record<SkipReason, string> = {
  failing: 'Failed a moment before, and is tried again later',
  unsupported: 'Does not support a feature of the request',
  unknown_model: 'No such provider, or none for this operation',
  not_configured: 'The provider is not set up',
  not_priced: 'Has no known price, which a hard budget requires',
  different_model: 'Its embeddings could not be compared with those of the other targets',
  context_too_small: 'Is not known to take a longer context than the target that refused the request',
};

/** Continues the name of the target. */
export function skipReasonText({ reason, param }: Pick<SkippedTarget, 'reason' | 'param'>): string {
  return param === null ? texts[reason] : `${texts[reason]}: ${param}`;
}
