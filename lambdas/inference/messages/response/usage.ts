/** Usage in Anthropic's format: https://platform.claude.com/docs/en/api/messages/create */
import type { TokenUsage } from '#lambdas/pricing/usage.ts';

export interface MessageUsage {
  /** Without what was read from a cache or written to one. */
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  /** With thinking. */
  output_tokens: number;
  output_tokens_details: { thinking_tokens: number } | null;
  server_tool_use: { web_search_requests: number; web_fetch_requests: number } | null;
}

export interface WholeUsage extends MessageUsage {
  cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
  inference_geo: null;
  service_tier: 'standard' | 'priority' | null;
  speed: null;
}

/** The cumulative usage of a stream, as far as it is known. */
export function toMessageUsage(usage: TokenUsage): MessageUsage {
  return {
    input_tokens: usage.freshInputTokens,
    cache_creation_input_tokens: usage.cacheWriteInputTokens + usage.cacheWrite1hInputTokens,
    cache_read_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
    server_tool_use: serverToolUse(usage),
  };
}

function serverToolUse({ webSearches = 0, pageVisits = 0 }: TokenUsage): MessageUsage['server_tool_use'] {
  if (webSearches + pageVisits === 0) return null;
  return { web_search_requests: webSearches, web_fetch_requests: pageVisits };
}

/** `serviceTier` is the provider's name for it. */
export function toWholeUsage(usage: TokenUsage, serviceTier: string | null): WholeUsage {
  return {
    ...toMessageUsage(usage),
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWriteInputTokens,
      ephemeral_1h_input_tokens: usage.cacheWrite1hInputTokens,
    },
    inference_geo: null,
    service_tier: tierOf(serviceTier),
    speed: null,
  };
}

/** https://platform.claude.com/docs/en/api/service-tiers has no word for the cheaper tiers of others, such as `flex`. */
function tierOf(serviceTier: string | null): WholeUsage['service_tier'] {
  switch (serviceTier?.toLowerCase()) {
    case 'priority':
    case 'standard':
      return serviceTier.toLowerCase() as 'priority' | 'standard';
    case 'default':
      return 'standard';
    default:
      return null;
  }
}
