/** What the Messages API refuses in `tools` and `tool_choice`. */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { checkCacheControl, checkKeys } from './anthropic-content-checks.ts';
import { refuse } from './anthropic-errors.ts';
import { checkCompiledSchema } from './anthropic-schema-checks.ts';
import type { Turn } from './anthropic-turn-checks.ts';

const customToolKeys = [
  'type',
  'name',
  'description',
  'input_schema',
  'cache_control',
  'strict',
  'eager_input_streaming',
  'input_examples',
  'defer_loading',
  'allowed_callers',
];

/** A conversation in which tools were called goes on with tools only. */
export function checkToolsAreDefined(tools: unknown, turns: readonly Turn[]): void {
  if (Array.isArray(tools) && tools.length > 0) return;
  if (turns.some(({ blocks }) => blocks.some(({ type }) => type === 'tool_use' || type === 'tool_result'))) {
    refuse('Requests which include `tool_use` or `tool_result` blocks must define tools.');
  }
}

/** The tools that the caller runs itself; those that the provider runs have a dated type and no schema. */
export function readTools(tools: unknown): JsonObject[] {
  if (tools === undefined) return [];
  if (!Array.isArray(tools)) refuse('tools: Input should be a valid list');
  const names = new Set<unknown>();
  for (const [index, tool] of tools.entries()) {
    if (!isJsonObject(tool)) refuse(`tools.${index}: Input should be a valid dictionary`);
    if (isCustom(tool)) checkCustomTool(`tools.${index}.custom`, tool);
    if (names.has(tool.name)) refuse('tools: Tool names must be unique.');
    names.add(tool.name);
  }
  return tools.filter(isCustom);
}

function isCustom({ type }: JsonObject): boolean {
  return type === undefined || type === 'custom';
}

function checkCustomTool(path: string, tool: JsonObject): void {
  checkKeys(path, tool, customToolKeys);
  const { name, description, input_schema, strict } = tool;
  if (typeof name !== 'string') refuse(`${path}.name: Field required`);
  if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) {
    refuse(`${path}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  }
  if (description !== undefined && typeof description !== 'string') {
    refuse(`${path}.description: Input should be a valid string`);
  }
  if (!isJsonObject(input_schema)) refuse(`${path}.input_schema: Field required`);
  if (input_schema.type === undefined) refuse(`${path}.input_schema.type: Field required`);
  if (input_schema.type !== 'object') refuse(`${path}.input_schema.type: Input should be 'object'`);
  if (tool.cache_control !== undefined) checkCacheControl(path, tool.cache_control);
  if (strict === true) checkCompiledSchema(path, input_schema);
}

const choiceKeys: Record<string, readonly string[]> = {
  auto: ['disable_parallel_tool_use'],
  any: ['disable_parallel_tool_use'],
  tool: ['name', 'disable_parallel_tool_use'],
  none: [],
};

export function checkToolChoice(choice: unknown, tools: unknown): void {
  if (choice === undefined) return;
  const type = isJsonObject(choice) ? String(choice.type) : '';
  const keys = choiceKeys[type];
  if (!isJsonObject(choice) || keys === undefined) {
    refuse(
      `tool_choice: Input tag '${type}' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'`,
    );
  }
  checkKeys(`tool_choice.${type}`, choice, ['type', ...keys]);
  const named = Array.isArray(tools) ? tools.filter(isJsonObject).map(({ name }) => name) : [];
  if (named.length === 0) refuse(`tool_choice.${type} may only be specified while providing tools`);
  if (type === 'tool' && !named.includes(choice.name)) {
    refuse(`Tool '${choice.name}' not found in provided tools`);
  }
}
