/** Claude's thinking, on whatever platform: how much of it may be, and what of it is given back. */
import { objectOf, objectsIn } from '../../domain/json.ts';
import type { CompletionRequest, ReasoningEffort } from './completion-request.ts';
import type { AssistantMessage } from './messages.ts';

export type ThinkingEffort = Exclude<ReasoningEffort, 'none'>;

/** For models that are given a number of tokens to think for. */
const budgetTokens: Readonly<Record<ThinkingEffort, number>> = {
  minimal: 1_024,
  low: 4_096,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};
const smallestBudget = 1_024;
/** The rest of the output is left for the answer. */
const largestShare = 0.8;

/**
 * `null` where there is no room for thoughts.
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 */
export function thinkingBudget(effort: ThinkingEffort, maxTokens: number): number | null {
  const budget = Math.min(budgetTokens[effort], Math.floor(maxTokens * largestShare));
  return budget < smallestBudget ? null : budget;
}

/** For models that decide themselves; `low` is the least. https://platform.claude.com/docs/en/build-with-claude/effort */
export function claudeEffort(effort: ThinkingEffort): string {
  return effort === 'minimal' ? 'low' : effort;
}

/** Whether Claude's own field `thinking` turns it on. */
export function isThinking(thinking: unknown): boolean {
  const { type } = objectOf(thinking);
  return type === 'enabled' || type === 'adaptive';
}

/** Signed, in the form in which an answer of ours has it in `thinking_blocks`. */
export type ClaudeThought =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string };

/**
 * The thoughts of an answer that the caller sends back, exactly as they were; none can be without its signature.
 * https://platform.claude.com/docs/en/build-with-claude/thinking#preserving-thinking-blocks
 */
export function thoughtsOf({ source }: AssistantMessage): ClaudeThought[] {
  return objectsIn(source.thinking_blocks).flatMap(({ type, thinking, signature, data }): ClaudeThought[] => {
    if (type === 'redacted_thinking' && typeof data === 'string') return [{ type, data }];
    const isWhole = typeof thinking === 'string' && typeof signature === 'string' && signature !== '';
    return type === 'thinking' && isWhole ? [{ type, thinking, signature }] : [];
  });
}

/**
 * With a budget, the last turn of the model has to begin with its thoughts if it called tools, and most clients do
 * not keep them.
 */
export function lacksThoughts({ turns }: Pick<CompletionRequest, 'turns'>): boolean {
  const messages = turns.findLast((turn) => turn.role === 'assistant')?.messages ?? [];
  const [first] = messages;
  const called = messages.some(({ toolCalls }) => toolCalls.length > 0);
  return called && first !== undefined && thoughtsOf(first).length === 0;
}
