/** A choice between some of the tools: https://platform.openai.com/docs/guides/function-calling#tool-choice */
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { readOptionalList } from '#lambdas/platform/json/fields.ts';
import { isJsonObject } from '#lambdas/platform/json/json.ts';
import type { Tool, ToolUse } from './tools.ts';

/** An entry of the list. A tool of the provider has no name; without a type, an entry names no tool. */
export interface AllowedTool {
  type: unknown;
  name: unknown;
}

/** `allowed` has a mode and the list of tools. Throws a `GatewayError` (400) that names an entry without a tool. */
export function allowTools(
  tools: Tool[],
  allowed: unknown,
  { param, readEntry }: { param: string; readEntry: (entry: unknown) => AllowedTool },
): Pick<ToolUse, 'tools' | 'choice'> {
  if (!isJsonObject(allowed) || (allowed.mode !== 'auto' && allowed.mode !== 'required')) {
    throw invalidRequestError(param, `${param} must have a mode, auto or required, and tools`);
  }
  const known = new Set(tools.map(toolKey));
  const keys = readOptionalList(allowed.tools, `${param}.tools`).map((entry) => keyOf(readEntry(entry)));
  const unknown = keys.findIndex((key) => key === null || !known.has(key));
  if (unknown !== -1) {
    const entryParam = `${param}.tools[${unknown}]`;
    throw invalidRequestError(entryParam, `${entryParam} must name one of the tools`);
  }
  const allowedKeys = new Set(keys);
  return {
    tools: tools.filter((tool) => allowedKeys.has(toolKey(tool))),
    choice: { mode: allowed.mode },
  };
}

/** A tool and an entry that names it have the same key, which allows matching in linear time. */
function toolKey(tool: Tool): string {
  return JSON.stringify(tool.type === 'hosted' ? [tool.definition.type] : [tool.type, tool.name]);
}

function keyOf({ type, name }: AllowedTool): string | null {
  if (type === null) return null;
  return JSON.stringify(name === null ? [type] : [type, name]);
}
