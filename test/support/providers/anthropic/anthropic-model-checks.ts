/** What the Messages API refuses because the model that was asked for does not take it. */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { listed } from './anthropic-content-checks.ts';
import { refuse } from './anthropic-errors.ts';
import type { ModelRules } from './anthropic-model-rules.ts';
import type { Turn } from './anthropic-turn-checks.ts';

export function checkForModel(body: JsonObject, turns: readonly Turn[], rules: ModelRules): void {
  const maxTokens = Number(body.max_tokens);
  if (maxTokens > rules.maxOutputTokens) {
    refuse(
      `max_tokens: ${maxTokens} > ${rules.maxOutputTokens}, which is the maximum allowed number of output tokens for ${body.model}`,
    );
  }
  const thinking = isJsonObject(body.thinking) ? body.thinking : {};
  checkThinkingType(thinking.type, rules);
  checkEffort(isJsonObject(body.output_config) ? body.output_config : {}, thinking.type, rules);
  checkSampling(body, rules);
  const forced = isJsonObject(body.tool_choice) && ['any', 'tool'].includes(String(body.tool_choice.type));
  if (forced && !rules.forcedTools) {
    refuse('tool_choice: type "tool" and "any" are not supported for this model.');
  }
  if (thinking.type === 'enabled' || thinking.type === 'adaptive') {
    if (forced) refuse('Thinking may not be enabled when tool_choice forces tool use.');
    checkSamplingBesideThinking(body);
  }
  if (thinking.type === 'enabled') checkBudget(body, thinking.budget_tokens, turns);
  if (turns.at(-1)?.role === 'assistant' && !rules.prefill) {
    refuse(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  }
}

const useAdaptive = 'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';

function checkThinkingType(type: unknown, { thinking }: ModelRules): void {
  if (type === undefined || thinking.some((accepted) => accepted === type)) return;
  if (type === 'adaptive') refuse('adaptive thinking is not supported on this model');
  if (type === 'disabled' && thinking.includes('between_tools')) {
    refuse(
      'To turn thinking off on this model, send "thinking": {"type": "between_tools"} instead of {"type": "disabled"}. The model does not think before responding. The short updates it writes between tool calls come back as thinking blocks.',
    );
  }
  if (type === 'between_tools') refuse('"thinking.type.between_tools" is not supported for this model.');
  refuse(`"thinking.type.${type}" is not supported for this model. ${useAdaptive}`);
}

function checkEffort(config: JsonObject, thinkingType: unknown, rules: ModelRules): void {
  const { effort, format } = config;
  if (format !== undefined && !rules.structuredOutputs) {
    refuse("'output_config.format' is not supported for this model.");
  }
  if (effort === undefined) return;
  if (rules.efforts.length === 0) refuse('This model does not support the effort parameter.');
  if (typeof effort !== 'string' || !rules.efforts.includes(effort)) {
    refuse(`output_config.effort: Input should be ${listed(rules.efforts)}`);
  }
  const isOff = thinkingType === 'disabled' || thinkingType === 'between_tools';
  if (isOff && rules.needsThinkingAboveHigh && (effort === 'xhigh' || effort === 'max')) {
    refuse(
      `output_config.effort '${effort}' is not supported when thinking is disabled on this model. Use effort 'high' or below, or enable thinking.`,
    );
  }
}

function checkSampling({ temperature, top_p, top_k }: JsonObject, { sampling }: ModelRules): void {
  if (temperature !== undefined && top_p !== undefined) {
    refuse('`temperature` and `top_p` cannot both be specified for this model. Please use only one.');
  }
  if (sampling) return;
  if (temperature !== undefined && temperature !== 1) refuse('`temperature` is deprecated for this model.');
  if (top_p !== undefined && top_p !== 0.99) refuse('`top_p` is deprecated for this model.');
  if (top_k !== undefined) refuse('`top_k` is deprecated for this model.');
}

function checkSamplingBesideThinking({ temperature, top_p, top_k }: JsonObject): void {
  if (temperature !== undefined && temperature !== 1) {
    refuse('`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.');
  }
  if (typeof top_p === 'number' && top_p < 0.95) {
    refuse('`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.');
  }
  if (top_k !== undefined) refuse('`top_k` must be unset when thinking is enabled.');
}

/** https://platform.claude.com/docs/en/build-with-claude/extended-thinking */
function checkBudget(body: JsonObject, budget: unknown, turns: readonly Turn[]): void {
  if (!Number.isInteger(budget)) refuse('thinking.enabled.budget_tokens: Field required');
  if (Number(budget) < 1024) {
    refuse('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
  }
  if (Number(budget) >= Number(body.max_tokens)) {
    refuse('`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
  const last = turns.findLast(({ role }) => role === 'assistant');
  const first = last?.blocks[0]?.type;
  const callsTools = last?.blocks.some(({ type }) => type === 'tool_use') === true;
  if (callsTools && first !== 'thinking' && first !== 'redacted_thinking') {
    refuse(
      `messages.${last?.index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`.`,
    );
  }
}
