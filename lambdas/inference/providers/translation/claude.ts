/** Claude's thinking and prefill, which are the same at Anthropic and on Bedrock. */
import {
  type AssistantPart,
  type AssistantTurn,
  callsIn,
  type Payload,
} from '#lambdas/inference/completion/conversation.ts';
import type {
  CompletionRequest,
  DialogRequest,
  ReasoningEffort,
} from '#lambdas/inference/completion/request.ts';
import { type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import { type ChangedRequest, hasContent, isContent } from './opening-turn.ts';

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
export const maxBudgetShare = 0.8;

/**
 * Returns the field `thinking` for a model with a token budget; `null` when the model cannot think because `maxTokens` is
 * too low, a tool call is forced, or the thinking blocks before its last tool calls are missing.
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 */
export function budgetThinking(
  effort: ThinkingEffort,
  { request, maxTokens, forced }: { request: CompletionRequest; maxTokens: number; forced: boolean },
): JsonObject | null {
  const budget =
    request.reasoningBudget ?? Math.min(thinkingBudgets[effort], Math.floor(maxTokens * maxBudgetShare));
  if (budget < minBudgetTokens || forced || isMissingThinkingBlocks(request)) return null;
  return { type: 'enabled', budget_tokens: budget };
}

/** The last assistant turn must start with its thinking blocks if it called tools, and most clients do not keep them. */
function isMissingThinkingBlocks({ turns }: Pick<CompletionRequest, 'turns'>): boolean {
  const messages = turns.findLast((turn) => turn.role === 'assistant')?.messages ?? [];
  const [first] = messages;
  if (first === undefined || callsIn(messages).length === 0) return false;
  const start = first.parts.find((part) => isContent(part) || thinkingBlockOf(part) !== null);
  return start === undefined || thinkingBlockOf(start) === null;
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

export type ThinkingBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string };

/**
 * Returns Claude's thinking, which it requires back; `null` for any other part. The API rejects modified blocks and blocks
 * without a signature.
 * https://platform.claude.com/docs/en/build-with-claude/thinking#preserving-thinking-blocks
 */
export function thinkingBlockOf(part: AssistantPart): ThinkingBlock | null {
  if (part.type !== 'reasoning' || part.payload?.format !== 'anthropic') return null;
  const { kind, data } = part.payload;
  if (kind === 'redacted') return { type: 'redacted_thinking', data };
  return kind === 'signature' ? { type: 'thinking', thinking: part.text, signature: data } : null;
}

/** Leaves out reasoning after the last content: "The final block in an assistant message cannot be `thinking`". */
export function withoutFinalReasoning(parts: readonly AssistantPart[]): AssistantPart[] {
  return parts.slice(0, parts.findLastIndex(isContent) + 1);
}

/**
 * Trims the start of the completion that the caller gives: "final assistant content cannot end with trailing whitespace"
 * (https://github.com/langchain-ai/langchain-aws/issues/532). Blank texts are left out anyway.
 */
export function withTrimmedPrefill(request: DialogRequest): ChangedRequest {
  const lastTurn = request.turns.findLastIndex(hasContent);
  const turn = request.turns[lastTurn];
  const messages = turn?.role === 'assistant' ? turn.messages : [];
  const last = messages.findLastIndex(({ parts }) => parts.some(isContent));
  const message = messages[last];
  const lastPart = message?.parts.findLastIndex(isContent) ?? -1;
  const part = message?.parts[lastPart];
  if (message === undefined || part?.type !== 'text' || part.text === part.text.trimEnd())
    return { request, ignored: [] };
  const parts = message.parts.with(lastPart, { ...part, text: part.text.trimEnd() });
  const trimmed: AssistantTurn = { role: 'assistant', messages: messages.with(last, { ...message, parts }) };
  return {
    request: { ...request, turns: request.turns.with(lastTurn, trimmed) },
    ignored: [request.names.content],
  };
}

/** The signature of the thinking that ends; `null` if it has none, so that it cannot be sent back. */
export function thinkingSignature(data: string): Payload | null {
  return data === '' ? null : { format: 'anthropic', kind: 'signature', data };
}

/**
 * The instruction for `json_object` at a provider without such a mode. OpenAI requires callers to write one too.
 * https://platform.openai.com/docs/guides/structured-outputs#json-mode
 */
export const jsonOnlyInstruction =
  'Answer with one JSON object and nothing else: no words before or after it, and no code fence around it.';
