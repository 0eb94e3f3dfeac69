/**
 * What Claude on Bedrock refuses in fields of its own.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html
 */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { modelRefuses, refuse } from './bedrock-errors.ts';
import type { BedrockModel } from './bedrock-models.ts';
import type { Block, ConverseRequest } from './bedrock-request.ts';

const claudeFields = ['thinking', 'output_config', 'top_k', 'tool_choice', 'anthropic_beta', 'metadata'];

export function checkClaudeFields(request: ConverseRequest, model: BedrockModel, fields: JsonObject): void {
  const unknown = Object.keys(fields).find((name) => !claudeFields.includes(name));
  if (unknown !== undefined) modelRefuses(`${unknown}: Extra inputs are not permitted`);
  const choice = fields.tool_choice;
  const chosen = Object.keys(request.toolConfig?.toolChoice ?? {})[0];
  if (isJsonObject(choice) && chosen !== undefined) {
    refuse(
      `The additional field tool_choice/type conflicts with the existing field toolConfig.toolChoice.${chosen}. Remove tool_choice/type and try again.`,
    );
  }
  if (isJsonObject(fields.output_config) && model.reasoning !== 'adaptive') {
    modelRefuses('This model does not support the effort parameter.');
  }
  if (model.sampling !== true && fields.top_k !== undefined) {
    modelRefuses('`top_k` is deprecated for this model.');
  }
  if (isJsonObject(fields.thinking)) checkThinking(request, model, fields.thinking);
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-extended-thinking.html */
function checkThinking(request: ConverseRequest, model: BedrockModel, thinking: JsonObject): void {
  if (thinking.type === 'disabled') return;
  if (thinking.type !== model.reasoning.replace('budget', 'enabled')) {
    modelRefuses(
      thinking.type === 'adaptive'
        ? 'adaptive thinking is not supported on this model'
        : `"thinking.type.${String(thinking.type)}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`,
    );
  }
  const { toolConfig, inferenceConfig = {}, additionalModelRequestFields } = request;
  const forced = isJsonObject(additionalModelRequestFields?.tool_choice)
    ? additionalModelRequestFields.tool_choice.type
    : Object.keys(toolConfig?.toolChoice ?? {})[0];
  if (forced === 'any' || forced === 'tool') {
    modelRefuses('Thinking may not be enabled when tool_choice forces tool use.');
  }
  if (thinking.type !== 'enabled') return;
  const budget = Number(thinking.budget_tokens);
  if (!(budget >= 1024)) {
    modelRefuses('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
  }
  if (inferenceConfig.maxTokens !== undefined && inferenceConfig.maxTokens <= budget) {
    modelRefuses('`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
  if (inferenceConfig.temperature !== undefined && inferenceConfig.temperature !== 1) {
    modelRefuses('`temperature` may only be set to 1 when thinking is enabled.');
  }
  if (additionalModelRequestFields?.top_k !== undefined) {
    modelRefuses('`top_k` must be unset when thinking is enabled.');
  }
  checkThinkingInToolLoop(request);
}

function checkThinkingInToolLoop({ messages = [] }: ConverseRequest): void {
  const index = messages.findLastIndex(({ role }) => role === 'assistant');
  const content: Block[] = messages[index]?.content ?? [];
  const isInLoop = content.some(({ toolUse }) => toolUse !== undefined) && index === messages.length - 2;
  if (!isInLoop || content[0]?.reasoningContent !== undefined) return;
  const found = content[0]?.toolUse === undefined ? 'text' : 'tool_use';
  modelRefuses(
    `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  );
}
