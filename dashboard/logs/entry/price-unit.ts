import { formatCount } from '#dashboard/components/values/number-format.ts';
import type { Charge } from '#lambdas/accounts/analytics/responses.ts';

/** The unit of a price: "per 1M tokens", "per 1,000". */
export function priceUnit({ type, per }: Pick<Charge, 'type' | 'per'>): string {
  if (type === 'audio_input_seconds') return per === 60 ? 'per minute' : `per ${formatCount(per)} seconds`;
  const isTokens = type.endsWith('_tokens');
  const count = per === 1_000_000 ? '1M' : formatCount(per);
  if (isTokens) return `per ${count} tokens`;
  return per === 1 ? 'each' : `per ${count}`;
}
