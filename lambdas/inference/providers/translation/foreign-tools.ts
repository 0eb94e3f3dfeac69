/** Refuses tools and calls of tools that only another API has. */
import { assistantMessages, callsIn } from '#lambdas/inference/completion/conversation.ts';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import type { ProviderFormat, Tool } from '#lambdas/inference/completion/tools.ts';
import { unsupportedParameterError } from '#lambdas/platform/errors.ts';

/** Throws a `GatewayError` (400) that names the first custom or foreign tool, or else the first call of a custom tool. */
export function refuseForeignTools({ tools, turns }: CompletionRequest, own: ProviderFormat): void {
  for (const tool of tools) {
    if (tool.type === 'custom') {
      const message = `${tool.param}.type must be function: this provider does not support custom tools`;
      throw unsupportedParameterError(`${tool.param}.type`, message);
    }
    refuseHostedElsewhere(tool, own);
  }
  const custom = callsIn(assistantMessages(turns)).find(({ type }) => type === 'custom_call');
  if (custom === undefined) return;
  const message = `${custom.param} is a call of a custom tool, which this provider does not support`;
  throw unsupportedParameterError(custom.param, message);
}

/** Throws a `GatewayError` (400) for a tool that runs at the provider of another API. */
export function refuseHostedElsewhere(tool: Tool, own: ProviderFormat): void {
  if (tool.type !== 'hosted' || tool.api === null || tool.api === own) return;
  const message = `${tool.param} is a tool of the API of ${tool.api}, which this provider does not have`;
  throw unsupportedParameterError(`${tool.param}.type`, message);
}
