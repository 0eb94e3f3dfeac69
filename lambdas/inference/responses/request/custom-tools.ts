/**
 * Custom tools, whose input is text, as functions with one argument: no other API has them.
 * https://platform.openai.com/docs/guides/function-calling#custom-tools
 */
import type { FunctionTool } from '#lambdas/inference/completion/tools.ts';
import { isAbsent, readObject, readOptionalText, readText } from '#lambdas/platform/json/fields.ts';
import { type JsonObject, stringOrEmpty } from '#lambdas/platform/json/json.ts';

/** The argument that has the input of the tool. */
export const inputArgument = 'input';

/** `tool` is the definition, whose path is `param`. */
export function readCustomTool(tool: JsonObject, param: string, namespace: string | null): FunctionTool {
  const description = readOptionalText(tool.description, `${param}.description`) ?? '';
  const grammar = isAbsent(tool.format) ? '' : grammarOf(readObject(tool.format, `${param}.format`));
  const described = [description, grammar].filter((text) => text !== '').join('\n\n');
  return {
    type: 'function',
    name: readText(tool.name, `${param}.name`),
    namespace,
    description: described === '' ? null : described,
    parameters: {
      type: 'object',
      properties: {
        [inputArgument]: { type: 'string', description: 'The whole input of the tool, as text.' },
      },
      required: [inputArgument],
      additionalProperties: false,
    },
    strict: null,
    cacheControl: null,
    param,
  };
}

/** No other provider enforces a grammar, so that the model is told it. */
function grammarOf({ type, syntax, definition }: JsonObject): string {
  if (type !== 'grammar') return '';
  return `The input must match this ${stringOrEmpty(syntax)} grammar:\n${stringOrEmpty(definition)}`;
}
