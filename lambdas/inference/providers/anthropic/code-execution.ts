/** Detects code execution, which is billed by the hours of its container; responses do not show them. */
import { isJsonObject, type JsonObject, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import type { PricingGap } from '#lambdas/pricing/price-context.ts';

interface CodeExecutionReader {
  readBlock(contentBlock: JsonObject): void;
  /** The field `container`, which is set when the message used one. */
  readContainer(container: unknown): void;
  gaps(): readonly PricingGap[];
}

/**
 * Code that filters the results of these tools is free. Only their versions with this feature are called by code.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool#usage-and-pricing
 */
const freeWith = ['web_search', 'web_fetch'];

export function createCodeExecutionReader(): CodeExecutionReader {
  let isUsed = false;
  let isFree = false;
  return {
    readBlock({ type, name, caller }) {
      const tool = stringOrEmpty(name);
      const callerType = stringOrEmpty(objectOrEmpty(caller).type);
      if (type === 'server_tool_use') {
        isUsed ||= tool.endsWith('code_execution');
        isFree ||= freeWith.includes(tool) && callerType.startsWith('code_execution');
      }
      isUsed ||= stringOrEmpty(type).endsWith('code_execution_tool_result');
    },
    readContainer(container) {
      isUsed ||= isJsonObject(container);
    },
    gaps: () => (isUsed && !isFree ? ['code_execution'] : []),
  };
}
