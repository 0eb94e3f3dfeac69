/** Finds signs that the usage in a provider's response cannot be right. */
import type { UsageWarning } from '#lambdas/pricing/usage.ts';
import type { UsageFrames } from './usage-frames.ts';

const noWarnings: readonly UsageWarning[] = [];

export function usageWarningsOf({ hasDecreased }: UsageFrames): readonly UsageWarning[] {
  return hasDecreased ? ['counts_decreased'] : noWarnings;
}
