/** The tools that a request offers, and the choice between them. */
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';

/** The API of a provider; `openai` is that of chat completions. */
export type ProviderFormat = 'openai' | 'responses' | 'anthropic' | 'google' | 'bedrock';

/** The name of a tool, within the group that the caller gives it. */
export interface ToolName {
  name: string;
  namespace: string | null;
}

export interface FunctionTool extends ToolName {
  type: 'function';
  description: string | null;
  /** The JSON Schema of the arguments; `null` for a function without any. */
  parameters: JsonObject | null;
  strict: boolean | null;
  cacheControl: JsonObject | null;
  param: string;
}

/** A tool whose input is text, perhaps of a grammar: https://platform.openai.com/docs/guides/function-calling#custom-tools */
export interface CustomTool extends ToolName {
  type: 'custom';
  description: string | null;
  /** OpenAI's format of the input; `null` for any text. */
  format: JsonObject | null;
  param: string;
}

/** A tool that the provider runs itself. */
export interface HostedTool {
  type: 'hosted';
  /** In the format of `api`. */
  definition: JsonObject;
  /** `null` for the API of the provider that is called, whichever it is. */
  api: ProviderFormat | null;
  param: string;
}

export type Tool = FunctionTool | CustomTool | HostedTool;

export type ToolChoice = { mode: 'auto' | 'none' | 'required' } | ({ mode: 'function' } & ToolName);

export interface ToolUse {
  /** Without those that the choice excludes. */
  tools: Tool[];
  choice: ToolChoice | null;
  /** The names of all tools, also of excluded ones, so that the names at the provider do not depend on the choice. */
  toolNames: readonly ToolName[];
}

export function isForced(choice: ToolChoice | null): boolean {
  return choice?.mode === 'required' || choice?.mode === 'function';
}

/** Throws a `GatewayError` (400) if the choice requires a call and there is no tool. `param` is the caller's name of it. */
export function assertToolForChoice(
  { tools, choice }: Pick<ToolUse, 'tools' | 'choice'>,
  param: string,
): void {
  if (!isForced(choice) || tools.length > 0) return;
  throw invalidRequestError(param, `${param} requires a tool call, but the request has no tools`);
}

/** The names of the provider's own tools are those in their definitions, if they have any. */
export function toolNamesOf(tools: readonly Tool[]): ToolName[] {
  return tools.flatMap((tool): ToolName[] => {
    if (tool.type !== 'hosted') return [tool];
    const name = objectOrEmpty(tool.definition.function).name ?? tool.definition.name;
    return typeof name === 'string' ? [{ name, namespace: null }] : [];
  });
}
