/** Claude's thinking and JSON Schemas, which are the same at Anthropic and on Bedrock. */
import { filterObjects, isJsonObject, type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import type { AssistantMessage } from './messages.ts';
import type { CompletionRequest, ReasoningEffort } from './request.ts';
import type { ChoiceSink } from './sink.ts';

export type ThinkingEffort = Exclude<ReasoningEffort, 'none'>;

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

/** https://json-schema.org/draft/2020-12/json-schema-validation#section-9 and the core's `$comment`, `$id` */
const annotations = [
  '$comment',
  '$id',
  '$schema',
  'deprecated',
  'example',
  'examples',
  'readOnly',
  'writeOnly',
];

/** Keywords whose values map arbitrary names, which may coincide with an annotation, to schemas. */
const schemaMapKeywords = ['$defs', 'definitions', 'patternProperties', 'properties'];
const valueKeywords = ['const', 'default', 'enum', 'required'];

/** Adds the `type` that some callers omit. A strict tool without parameters accepts no properties. */
export function argumentsSchema({
  parameters,
  isStrict,
}: {
  parameters: JsonObject | null;
  isStrict: boolean;
}): JsonObject {
  if (!isStrict) return { type: 'object', ...parameters };
  const closed = parameters ?? { properties: {}, additionalProperties: false };
  return { type: 'object', ...compilableSchema(closed) };
}

/**
 * Removes annotations, which Anthropic rejects in schemas for structured outputs and strict tools. Keeps constraints,
 * which the completion could violate otherwise.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
 */
export function compilableSchema(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([keyword]) => !annotations.includes(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (valueKeywords.includes(keyword)) return [keyword, value];
      return [keyword, schemaMapKeywords.includes(keyword) ? subschemas(value) : subschema(value)];
    }),
  );
}

function subschema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(subschema);
  return isJsonObject(value) ? compilableSchema(value) : value;
}

function subschemas(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, subschema(schema)]));
}

/**
 * The instruction for `json_object` at a provider without such a mode. OpenAI requires callers to write one too.
 * https://platform.openai.com/docs/guides/structured-outputs#json-mode
 */
export const jsonOnlyInstruction =
  'Answer with one JSON object and nothing else: no words before or after it, and no code fence around it.';
