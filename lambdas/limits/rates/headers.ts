import type { RateState } from './rate-states.ts';

export function rateLimitHeaders(
  _format: 'openai' | 'anthropic',
  _states: { requests: RateState | null; tokens: RateState | null },
  _now: Date,
): Record<string, string> {
  return {};
}
