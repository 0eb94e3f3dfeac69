/** Functions and the choice among them: https://ai.google.dev/api/caching#Tool */
import type { JsonObject } from '../../domain/json.ts';
import type { FunctionTool, ToolChoice, ToolUse } from '../translation/tools.ts';
import { googleSchema } from './google-schema.ts';

/** `tools` and `toolConfig`, as far as there is something to say. */
export function googleToolUse({ tools, choice }: ToolUse): JsonObject {
  const functions = tools.filter((tool) => tool.type === 'function');
  const written = [
    ...(functions.length === 0 ? [] : [{ functionDeclarations: functions.map(declaration) }]),
    ...tools.flatMap((tool) => (tool.type === 'provider' ? [tool.definition] : [])),
  ];
  const config = callingConfig(functions, choice);
  return {
    ...(written.length > 0 && { tools: written }),
    ...(config !== null && { toolConfig: { functionCallingConfig: config } }),
  };
}

function declaration({ name, description, parameters }: FunctionTool): JsonObject {
  return {
    name,
    ...(description !== null && { description }),
    ...(parameters !== null && { parametersJsonSchema: googleSchema(parameters) }),
  };
}

/** Only `VALIDATED` and `ANY` hold the model to the schema, which `strict` asks for. */
function callingConfig(functions: readonly FunctionTool[], choice: ToolChoice | null): JsonObject | null {
  const strict = functions.some((tool) => tool.strict === true);
  switch (choice?.mode) {
    case undefined:
    case 'auto':
      return strict ? { mode: 'VALIDATED' } : null;
    case 'none':
      return functions.length === 0 ? null : { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'function':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] };
    default:
      return choice satisfies never;
  }
}
