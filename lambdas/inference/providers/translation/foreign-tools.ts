/** Leaves out or refuses tools that only another API has, and calls of them. */
import { assistantMessages, callsIn } from '#lambdas/inference/completion/conversation.ts';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import type { HostedTool, ProviderFormat, Tool } from '#lambdas/inference/completion/tools.ts';
import { type GatewayError, unsupportedParameterError } from '#lambdas/platform/errors.ts';
import { stringOrEmpty } from '#lambdas/platform/json/json.ts';

interface WithoutHosted {
  request: CompletionRequest;
  /** Their names, such as `tools.web_search`. */
  ignored: string[];
}

/**
 * Leaves out tools that run at the provider of another API: agents offer them to every model, beside functions of their own.
 * Throws a `GatewayError` (400) that names the first one if there is no other tool, or if the choice names it.
 */
export function withoutForeignHostedTools(request: CompletionRequest, own: ProviderFormat): WithoutHosted {
  const { tools, choice } = request;
  const foreign = tools.filter((tool) => isForeignHosted(tool, own));
  const [first] = foreign;
  if (first === undefined) return { request, ignored: [] };
  const chosen =
    choice?.mode === 'function' ? foreign.find((tool) => nameOf(tool) === choice.name) : undefined;
  if (chosen !== undefined) throw foreignToolError(chosen);
  if (foreign.length === tools.length) throw foreignToolError(first);
  return {
    request: { ...request, tools: tools.filter((tool) => !isForeignHosted(tool, own)) },
    ignored: [...new Set(foreign.map((tool) => `tools.${nameOf(tool)}`))],
  };
}

function isForeignHosted(tool: Tool, own: ProviderFormat): tool is HostedTool {
  return tool.type === 'hosted' && tool.api !== null && tool.api !== own;
}

function nameOf({ definition }: HostedTool): string {
  return stringOrEmpty(definition.name) || stringOrEmpty(definition.type);
}

const apiNames: Readonly<Record<ProviderFormat, string>> = {
  openai: 'Chat Completions API',
  responses: 'Responses API',
  anthropic: 'Messages API',
  google: 'Gemini API',
  bedrock: 'Converse API',
};

function foreignToolError({ api, param }: HostedTool): GatewayError {
  const name = api === null ? '' : apiNames[api];
  const message = `${param} is a tool of the ${name}, which this provider does not have`;
  return unsupportedParameterError(`${param}.type`, message);
}

/** Throws a `GatewayError` (400) that names the first custom tool, or else the first call of one. */
export function refuseCustomTools({ tools, turns }: CompletionRequest): void {
  const tool = tools.find(({ type }) => type === 'custom');
  if (tool !== undefined) {
    const message = `${tool.param}.type must be function: this provider does not support custom tools`;
    throw unsupportedParameterError(`${tool.param}.type`, message);
  }
  const call = callsIn(assistantMessages(turns)).find(({ type }) => type === 'custom_call');
  if (call === undefined) return;
  const message = `${call.param} is a call of a custom tool, which this provider does not support`;
  throw unsupportedParameterError(call.param, message);
}
