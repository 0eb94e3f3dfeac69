/** Claude's thinking and schemas, which are the same at Anthropic and on Bedrock. */
import { isJsonObject, type JsonObject, objectOf, objectsIn } from '#lambdas/platform/json/json.ts';
import type { AssistantMessage } from './messages.ts';
import type { CompletionRequest, ReasoningEffort } from './request.ts';
import type { ChoiceSink } from './sink.ts';

export type ThinkingEffort = Exclude<ReasoningEffort, 'none'>;

/** Tokens for models whose thinking has a budget. */
const budgetTokens: Readonly<Record<ThinkingEffort, number>> = {
  minimal: 1_024,
  low: 4_096,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};
const minBudgetTokens = 1_024;
/** The rest of the output tokens is left for the completion. */
const maxBudgetShare = 0.8;

/**
 * The field `thinking` of a model with a budget; `null` where it cannot think: without room for it, when it has to call
 * a tool, or when the conversation lacks the thoughts before its last tool calls.
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 */
export function budgetThinking(
  effort: ThinkingEffort,
  { request, maxTokens, forced }: { request: CompletionRequest; maxTokens: number; forced: boolean },
): JsonObject | null {
  const budget = Math.min(budgetTokens[effort], Math.floor(maxTokens * maxBudgetShare));
  if (budget < minBudgetTokens || forced || lacksThoughts(request)) return null;
  return { type: 'enabled', budget_tokens: budget };
}

/**
 * With a budget, the model's last turn has to begin with its thoughts if it called tools, and most clients do not keep
 * them.
 */
function lacksThoughts({ turns }: Pick<CompletionRequest, 'turns'>): boolean {
  const messages = turns.findLast((turn) => turn.role === 'assistant')?.messages ?? [];
  const [first] = messages;
  const called = messages.some(({ toolCalls }) => toolCalls.length > 0);
  return called && first !== undefined && thoughtsOf(first).length === 0;
}

/**
 * The fields of a model that decides itself how much to think; its lowest effort is `low`. A forced call is made without
 * thinking. Newer models return their thoughts only on request, `summarized`.
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

/** Whether Claude's own field `thinking` turns it on. */
export function isThinking(thinking: unknown): boolean {
  const { type } = objectOf(thinking);
  return type === 'enabled' || type === 'adaptive';
}

/** A signed thought, as the gateway's responses have it in `thinking_blocks`. */
export type ClaudeThought =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string };

/**
 * The thoughts that the caller sends back, unchanged; one without its signature is invalid.
 * https://platform.claude.com/docs/en/build-with-claude/thinking#preserving-thinking-blocks
 */
export function thoughtsOf({ source }: AssistantMessage): ClaudeThought[] {
  return objectsIn(source.thinking_blocks).flatMap(({ type, thinking, signature, data }): ClaudeThought[] => {
    if (type === 'redacted_thinking' && typeof data === 'string') return [{ type, data }];
    const isWhole = typeof thinking === 'string' && typeof signature === 'string' && signature !== '';
    return type === 'thinking' && isWhole ? [{ type, thinking, signature }] : [];
  });
}

export interface ThinkingBlocks {
  put(thought: ClaudeThought): void;
  /** Called when the response goes on with something other than a thought. */
  end(): void;
}

/**
 * Writes signed thoughts into `thinking_blocks`, the field that other gateways use too
 * (https://docs.litellm.ai/docs/reasoning_content). Only thoughts at the beginning can be sent back later: OpenAI's
 * format does not keep the position of the others among texts and calls, and the API takes moved thoughts for modified.
 * https://platform.claude.com/docs/en/build-with-claude/thinking#preserving-thinking-blocks,
 * https://github.com/BerriAI/litellm/pull/23093
 */
export function createThinkingBlocks(choice: ChoiceSink): ThinkingBlocks {
  let ended = false;
  return {
    put(thought) {
      const isWhole = thought.type === 'redacted_thinking' || thought.signature !== '';
      if (!ended && isWhole) choice.extra({ thinking_blocks: [thought] });
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

/** Keywords whose keys are names, which may be equal to an annotation's. */
const mapsOfSchemas = ['$defs', 'definitions', 'patternProperties', 'properties'];
const values = ['const', 'default', 'enum', 'required'];

/**
 * The schema of a tool's arguments, which are always an object, though not all callers say so. A strict tool without
 * parameters accepts no properties.
 */
export function argumentsSchema({
  parameters,
  isStrict,
}: {
  parameters: JsonObject | null;
  isStrict: boolean;
}): JsonObject {
  if (!isStrict) return { type: 'object', ...parameters };
  const closed = parameters ?? { properties: {}, additionalProperties: false };
  return { type: 'object', ...compiledSchema(closed) };
}

/**
 * A schema that Anthropic can compile into a grammar, for structured outputs and strict tools. Anthropic refuses
 * annotations, which are left out; constraints stay, since the completion would not follow them otherwise.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
 */
export function compiledSchema(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([keyword]) => !annotations.includes(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (values.includes(keyword)) return [keyword, value];
      return [keyword, mapsOfSchemas.includes(keyword) ? eachOf(value) : subschema(value)];
    }),
  );
}

function subschema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(subschema);
  return isJsonObject(value) ? compiledSchema(value) : value;
}

function eachOf(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, subschema(schema)]));
}

/**
 * The instruction for JSON without a schema where the provider has no such mode; OpenAI's callers have to write one too.
 * https://platform.openai.com/docs/guides/structured-outputs#json-mode
 */
export const jsonOnly =
  'Answer with one JSON object and nothing else: no words before or after it, and no code fence around it.';
