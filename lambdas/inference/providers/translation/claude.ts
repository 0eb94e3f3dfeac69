/** Claude's thinking and prefill, which are the same at Anthropic and on Bedrock. */
import { filterObjects, type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import type { AssistantMessage, Turn } from './messages.ts';
import { type ChangedRequest, hasContent, isNotBlank } from './opening-turn.ts';
import type { CompletionRequest, ReasoningEffort } from './request.ts';
import type { ChoiceSink } from './sink.ts';

type ThinkingEffort = Exclude<ReasoningEffort, 'none'>;

const thinkingBudgets: Readonly<Record<ThinkingEffort, number>> = {
  minimal: 1_024,
  low: 4_096,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};
const minBudgetTokens = 1_024;
/** Leaves the other output tokens for the completion. */
const maxBudgetShare = 0.8;

/**
 * Returns the field `thinking` for a model with a token budget; `null` when the model cannot think because `maxTokens` is
 * too low, a tool call is forced, or the thinking blocks before its last tool calls are missing.
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 */
export function budgetThinking(
  effort: ThinkingEffort,
  { request, maxTokens, forced }: { request: CompletionRequest; maxTokens: number; forced: boolean },
): JsonObject | null {
  const budget = Math.min(thinkingBudgets[effort], Math.floor(maxTokens * maxBudgetShare));
  if (budget < minBudgetTokens || forced || isMissingThinkingBlocks(request)) return null;
  return { type: 'enabled', budget_tokens: budget };
}

/** The last assistant turn must start with its thinking blocks if it called tools, and most clients do not keep them. */
function isMissingThinkingBlocks({ turns }: Pick<CompletionRequest, 'turns'>): boolean {
  const messages = turns.findLast((turn) => turn.role === 'assistant')?.messages ?? [];
  const [first] = messages;
  const called = messages.some(({ toolCalls }) => toolCalls.length > 0);
  return called && first !== undefined && readThinkingBlocks(first).length === 0;
}

/**
 * Returns the fields for a model that decides itself how much to think. Newer models return their thinking only on
 * request (`summarized`).
 * https://platform.claude.com/docs/en/build-with-claude/effort
 */
export function adaptiveThinking(
  effort: ThinkingEffort,
  { forced, summarized }: { forced: boolean; summarized: boolean },
): JsonObject {
  const thinking = { type: 'adaptive', ...(summarized && { display: 'summarized' }) };
  return {
    ...(!forced && { thinking }),
    output_config: { effort: effort === 'minimal' ? 'low' : effort },
  };
}

export function isThinkingEnabled(thinking: unknown): boolean {
  const { type } = objectOrEmpty(thinking);
  return type === 'enabled' || type === 'adaptive';
}

/** A signed thinking block, as in the field `thinking_blocks` of the gateway's responses. */
export type ThinkingBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string };

/**
 * Returns the thinking blocks that the caller sends back. The API rejects modified blocks and blocks without a
 * signature.
 * https://platform.claude.com/docs/en/build-with-claude/thinking#preserving-thinking-blocks
 */
export function readThinkingBlocks({ source }: AssistantMessage): ThinkingBlock[] {
  return filterObjects(source.thinking_blocks).flatMap(
    ({ type, thinking, signature, data }): ThinkingBlock[] => {
      if (type === 'redacted_thinking' && typeof data === 'string') return [{ type, data }];
      const isSigned = typeof thinking === 'string' && typeof signature === 'string' && signature !== '';
      return type === 'thinking' && isSigned ? [{ type, thinking, signature }] : [];
    },
  );
}

/**
 * Trims the start of the completion that the caller gives: "final assistant content cannot end with trailing whitespace"
 * (https://github.com/langchain-ai/langchain-aws/issues/532). Blank texts are left out anyway.
 */
export function withTrimmedPrefill(request: CompletionRequest): ChangedRequest {
  const lastTurn = request.turns.findLastIndex(hasContent);
  const turn = request.turns[lastTurn];
  const messages = turn?.role === 'assistant' ? turn.messages : [];
  const last = messages.findLastIndex(
    ({ parts, toolCalls }) => toolCalls.length > 0 || parts.some(isNotBlank),
  );
  const message = messages[last];
  const lastPart = message?.parts.findLastIndex(isNotBlank) ?? -1;
  const part = message?.parts[lastPart];
  const isPrefill = message !== undefined && message.toolCalls.length === 0 && part !== undefined;
  if (!isPrefill || part.text === part.text.trimEnd()) return { request, ignored: [] };
  const parts = message.parts.with(lastPart, { ...part, text: part.text.trimEnd() });
  const trimmed: Turn = { role: 'assistant', messages: messages.with(last, { ...message, parts }) };
  return {
    request: { ...request, turns: request.turns.with(lastTurn, trimmed) },
    ignored: ['messages.content'],
  };
}

export interface ThinkingBlockWriter {
  write(block: ThinkingBlock): void;
  /** Called when other content follows. */
  end(): void;
}

/**
 * Writes signed thinking blocks to `thinking_blocks`, the field that other gateways use too
 * (https://docs.litellm.ai/docs/reasoning_content). Only blocks at the start of the message are written: OpenAI's format
 * does not preserve the position of later ones, and the API rejects moved blocks as modified.
 * https://platform.claude.com/docs/en/build-with-claude/thinking#preserving-thinking-blocks,
 * https://github.com/BerriAI/litellm/pull/23093
 */
export function createThinkingBlockWriter(choice: ChoiceSink): ThinkingBlockWriter {
  let ended = false;
  return {
    write(block) {
      const isSigned = block.type === 'redacted_thinking' || block.signature !== '';
      if (!ended && isSigned) choice.extra({ thinking_blocks: [block] });
    },
    end() {
      ended = true;
    },
  };
}

/**
 * The instruction for `json_object` at a provider without such a mode. OpenAI requires callers to write one too.
 * https://platform.openai.com/docs/guides/structured-outputs#json-mode
 */
export const jsonOnlyInstruction =
  'Answer with one JSON object and nothing else: no words before or after it, and no code fence around it.';
