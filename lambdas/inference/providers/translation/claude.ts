/** Claude's thinking, on whatever platform: how much of it may be, and what of it is given back. */
import { isJsonObject, type JsonObject, objectOf, objectsIn } from '#lambdas/platform/json/json.ts';
import type { AssistantMessage } from './messages.ts';
import type { CompletionRequest, ReasoningEffort } from './request.ts';
import type { ChoiceSink } from './sink.ts';
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

// The signed thoughts of an answer, in the field that others have for them too: `thinking_blocks`.
// https://docs.litellm.ai/docs/reasoning_content

export interface ThinkingBlocks {
  put(thought: ClaudeThought): void;
  /** The answer goes on with something that is no thought. */
  end(): void;
}

/**
 * Only thoughts that begin the answer can be given back: OpenAI's format does not tell between which words or calls
 * the others stood, and in any other place the API takes them for modified.
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

// JSON Schemas that Anthropic compiles into a grammar: for structured outputs and strict tools.
//
// What it cannot compile it refuses, also what only describes; that is left out here. Whatever means something stays:
// the answer would not keep to it without.
// https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations

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

/** Whose keys are names, of which one may be that of an annotation. */
const mapsOfSchemas = ['$defs', 'definitions', 'patternProperties', 'properties'];
const values = ['const', 'default', 'enum', 'required'];

/**
 * Of the arguments of a tool, which are always an object, though not all callers say so. Of one that is strict nothing
 * else may be open either.
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
 * For providers that have no JSON without a schema: the model is told, as OpenAI's callers have to tell it too.
 * https://platform.openai.com/docs/guides/structured-outputs#json-mode
 */
export const jsonOnly =
  'Answer with one JSON object and nothing else: no words before or after it, and no code fence around it.';
