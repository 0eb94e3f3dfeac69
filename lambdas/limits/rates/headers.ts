/**
 * The response headers that tell callers how much of their rate limits is left, in the format of the operation:
 * https://developers.openai.com/api/docs/guides/rate-limits and https://platform.claude.com/docs/en/api/rate-limits
 */
import { hourMs, minuteMs, secondMs } from '#lambdas/platform/duration.ts';
import type { RateState, RateStates } from './rate-states.ts';

const headersOf = {
  openai: ({ limit, remaining, resetMs }: RateState, kind: keyof RateStates) => ({
    [`x-ratelimit-limit-${kind}`]: String(limit),
    [`x-ratelimit-remaining-${kind}`]: wholeNumber(remaining),
    [`x-ratelimit-reset-${kind}`]: durationText(resetMs),
  }),
  anthropic: ({ limit, remaining, resetMs }: RateState, kind: keyof RateStates, nowMs: number) => ({
    [`anthropic-ratelimit-${kind}-limit`]: String(limit),
    [`anthropic-ratelimit-${kind}-remaining`]: wholeNumber(remaining),
    [`anthropic-ratelimit-${kind}-reset`]: timeText(nowMs + Math.max(0, resetMs)),
  }),
};

/** Names in lower case. */
export function rateLimitHeaders(
  format: keyof typeof headersOf,
  states: RateStates,
  now: Date,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const kind of ['requests', 'tokens'] as const) {
    const state = states[kind];
    if (state !== null) Object.assign(headers, headersOf[format](state, kind, now.getTime()));
  }
  return headers;
}

/** Rounded down: what a part of a request cannot use is not left. Not negative after a correction. */
function wholeNumber(remaining: number): string {
  return String(Math.max(0, Math.floor(remaining)));
}

/** Like Go's `Duration.String`, which OpenAI sends: `6m0s`, `1.5s`, `120ms`. */
function durationText(ms: number): string {
  const wholeMs = Math.max(0, Math.ceil(ms));
  if (wholeMs > 0 && wholeMs < secondMs) return `${wholeMs}ms`;
  const hours = Math.floor(wholeMs / hourMs);
  const minutes = Math.floor((wholeMs % hourMs) / minuteMs);
  const seconds = `${(wholeMs % minuteMs) / secondMs}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}

/** RFC 3339, rounded up to the second, like Anthropic's. */
function timeText(atMs: number): string {
  const wholeSeconds = new Date(Math.ceil(atMs / secondMs) * secondMs).toISOString();
  return wholeSeconds.replace('.000Z', 'Z');
}
