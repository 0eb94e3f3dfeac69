/** The parameters of a Messages request: https://platform.claude.com/docs/en/api/messages/create */
import type { Loss, Setting, SettingKey } from '#lambdas/inference/completion/request.ts';
import { unknownFields, valueAt } from '#lambdas/inference/completion/request-fields.ts';
import { filterObjects, isJsonObject, type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import { isCustomTool } from '../prompt.ts';
import { isSignedByClaude, isSignedByOther } from '../signatures.ts';
import { isHostedBlock } from './content.ts';
import { isAttribution } from './messages.ts';
import { messagesNames } from './names.ts';

/** Parameters without a neutral equivalent have no key. */
const parameters: Readonly<Record<string, readonly [SettingKey | null, Loss]>> = {
  container: [null, 'meaning'],
  context_management: [null, 'hint'],
  billing_policy: [null, 'hint'],
  compaction: [null, 'hint'],
  diagnostics: [null, 'hint'],
  fallback_credit_token: [null, 'hint'],
  fallbacks: [null, 'hint'],
  inference_geo: [null, 'meaning'],
  max_tokens: ['maxTokens', 'meaning'],
  mcp_servers: [null, 'meaning'],
  'metadata.user_id': ['user', 'hint'],
  'output_config.effort': ['reasoningEffort', 'hint'],
  'output_config.format': ['responseFormat', 'meaning'],
  'output_config.task_budget': [null, 'hint'],
  output_format: ['responseFormat', 'meaning'],
  service_tier: ['serviceTier', 'hint'],
  speed: [null, 'hint'],
  stop_sequences: ['stop', 'meaning'],
  temperature: ['temperature', 'hint'],
  thinking: ['reasoningEffort', 'hint'],
  'thinking.display': [null, 'hint'],
  tool_choice: ['toolChoice', 'meaning'],
  'tool_choice.disable_parallel_tool_use': ['parallelToolCalls', 'meaning'],
  tools: ['tools', 'meaning'],
  thread: [null, 'meaning'],
  top_k: ['topK', 'hint'],
  top_p: ['topP', 'hint'],
  user_profile_id: [null, 'hint'],
  workspace_id: [null, 'hint'],
};

/** Fields that are read otherwise, besides the parameters. */
const structuralFields = [
  'cache_control',
  'messages',
  'metadata',
  'model',
  'output_config',
  'stream',
  'system',
];

/** Lists all parameters in the body of a request, in alphabetical order. */
export function messagesSettings(body: JsonObject): Setting[] {
  return Object.entries(parameters).flatMap(([name, [key, loss]]): Setting[] => {
    const given = valueAt(body, name);
    if (given === undefined) return [];
    const value = key === 'serviceTier' ? openAiTier(given) : given;
    return [{ name, key, value, isDefault: isDefault(name, given, body), loss, replacement: null }];
  });
}

/** The tiers have the same meanings under other names: https://platform.claude.com/docs/en/api/service-tiers */
function openAiTier(tier: unknown): unknown {
  return tier === 'standard_only' ? 'default' : tier;
}

const defaultValues: Readonly<Record<string, readonly unknown[]>> = {
  service_tier: ['auto', 'standard_only'],
  // At 1, `temperature` and `top_p` do not change the model's distribution.
  temperature: [1],
  'thinking.display': ['summarized'],
  'tool_choice.disable_parallel_tool_use': [false],
  top_p: [1],
};

function isDefault(name: string, value: unknown, body: JsonObject): boolean {
  if (value === null || defaultValues[name]?.includes(value)) return true;
  const choice = objectOrEmpty(body.tool_choice).type;
  if (name === 'tool_choice') return choice === 'auto';
  if (name === messagesNames.parallelToolCalls) return isLimitedToOneCall(body);
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/**
 * True if the choice itself allows no parallel calls of different tools: it is one tool or none. The AI SDK forces a tool for
 * objects in this way, and disables parallel calls too.
 */
export function isLimitedToOneCall({ tools, tool_choice: choice }: JsonObject): boolean {
  const { type } = objectOrEmpty(choice);
  return type === 'tool' || type === 'none' || (type === 'any' && filterObjects(tools).length === 1);
}

/** Returns the request's fields outside the format, which are passed to the provider unchanged. */
export function providerFields(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => isProviderField(name)));
}

export function isProviderField(name: string): boolean {
  return !Object.hasOwn(parameters, name) && !structuralFields.includes(name);
}

const messageFields = ['content', 'role'];
const toolFields = ['cache_control', 'description', 'input_schema', 'name', 'strict', 'type'];

/**
 * Lists the fields and blocks of messages, and the fields of tools, that no other format has. `provider` is the one whose data
 * in signatures is kept.
 */
export function ignoredFields({ system, messages, tools }: JsonObject, provider: string | null): string[] {
  const all = filterObjects(messages);
  const blocks = all.flatMap(({ content }) => filterObjects(content));
  const hosted = new Set(blocks.filter(isHostedBlock).map(({ type }) => type));
  return [
    ...(filterObjects(system).some(({ text }) => isAttribution(text))
      ? ['system.x-anthropic-billing-header']
      : []),
    ...unknownFields(all, messageFields).map((name) => `messages.${name}`),
    ...(blocks.some(isCiting) ? ['messages.content.citations'] : []),
    ...(blocks.some((block) => losesThinking(block, provider)) ? [messagesNames.reasoning] : []),
    ...[...hosted].map((type) => `messages.content.${type}`),
    ...unknownFields(filterObjects(tools).filter(isCustomTool), toolFields).map((name) => `tools.${name}`),
  ];
}

/** True for a document that may be cited, and for a text with citations. */
function isCiting({ citations }: JsonObject): boolean {
  return Array.isArray(citations) ? citations.length > 0 : objectOrEmpty(citations).enabled === true;
}

/** `null` stands for a provider with the Messages API, whichever it is. */
function losesThinking(block: JsonObject, provider: string | null): boolean {
  return isSignedByOther(block, provider) || (provider !== null && isSignedByClaude(block));
}
