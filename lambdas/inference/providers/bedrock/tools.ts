/**
 * Translates tools to Converse's format, and a JSON Schema for the completion to a tool whose arguments are the
 * completion.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolConfiguration.html
 */
import { calledTools } from '#lambdas/inference/completion/conversation.ts';
import type { CompletionRequest, ParameterNames } from '#lambdas/inference/completion/request.ts';
import type { FunctionTool, Tool, ToolChoice } from '#lambdas/inference/completion/tools.ts';
import { invalidRequestError, unsupportedParameterError } from '#lambdas/platform/errors.ts';
import { isExactJsonObject } from '#lambdas/platform/json/exact-json.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { argumentsSchema } from '../translation/compilable-schema.ts';
import type { ToolNameRule } from '../translation/tool-names.ts';
import { cachePoint } from './messages.ts';
import type { BedrockModel } from './models.ts';

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html */
export const toolNameRule: ToolNameRule = {
  character: /[a-zA-Z0-9_-]/,
  firstCharacter: /[a-zA-Z0-9_-]/,
  maxLength: 64,
};

interface ToolFields {
  toolConfig: JsonObject | null;
  /** Claude's `tool_choice`, which can express more than `toolChoice` of Converse. */
  modelFields: JsonObject;
  ignored: string[];
}

export function toolFields(request: CompletionRequest, model: BedrockModel): ToolFields {
  const choice = effectiveChoice(request, model);
  const outputTool = jsonOutputTool(request, model);
  const offered = choice.mode === 'none' ? [] : request.tools;
  const tools = [
    ...offered.flatMap((tool) => toolEntries(tool, { model, names: request.names })),
    ...(outputTool ? [outputTool] : []),
  ];
  const ignored = ignoredKeywords(request, model);
  if (tools.length > 0) {
    const { parallelToolCalls } = request;
    return parallelToolCalls === false
      ? { ...sequentialCalls(tools, choice, { model, name: request.names.parallelToolCalls }), ignored }
      : { toolConfig: { tools, ...converseChoice(choice) }, modelFields: {}, ignored };
  }
  const called = toolsForEarlierCalls(request, model);
  if (called.length === 0) return { toolConfig: null, modelFields: {}, ignored };
  return { ...withoutCalls(called, request, model), ignored };
}

/** JSON output through a tool requires a forced call: of that tool, or of any tool if there are others. */
function effectiveChoice(request: CompletionRequest, model: BedrockModel): ToolChoice {
  const { choice, tools } = request;
  const requested = choice ?? { mode: 'auto' };
  const outputToolName = jsonOutputToolName(request, model);
  if (outputToolName === null || requested.mode === 'function') return requested;
  const hasOthers = tools.length > 0 && requested.mode !== 'none';
  return hasOthers ? { mode: 'required' } : { mode: 'function', name: outputToolName, namespace: null };
}

/** Uses Claude's `tool_choice`, which cannot be combined with `toolChoice` of Converse. */
function sequentialCalls(
  tools: JsonObject[],
  choice: ToolChoice,
  { model, name: param }: { model: BedrockModel; name: string },
) {
  if (model.vendor !== 'anthropic') {
    const message = `${param} can be false for Claude only: other models on Bedrock do not support it`;
    throw unsupportedParameterError(param, message);
  }
  const type = choice.mode === 'required' ? 'any' : choice.mode === 'function' ? 'tool' : 'auto';
  const name = choice.mode === 'function' ? { name: choice.name } : {};
  return {
    toolConfig: { tools },
    modelFields: { tool_choice: { type, ...name, disable_parallel_tool_use: true } },
  };
}

function converseChoice(choice: ToolChoice): JsonObject {
  switch (choice.mode) {
    case 'auto':
    case 'none':
      return {};
    case 'required':
      return { toolChoice: { any: {} } };
    case 'function':
      return { toolChoice: { tool: { name: choice.name } } };
    default:
      return choice satisfies never;
  }
}

/**
 * Defines the tools that were called earlier: "The toolConfig field must be defined when using toolUse and toolResult
 * content blocks." Only Claude's `tool_choice` can exclude new calls; Converse has no such choice
 * (https://github.com/boto/boto3/issues/4687).
 */
function withoutCalls(tools: JsonObject[], request: CompletionRequest, model: BedrockModel) {
  const isClaude = model.vendor === 'anthropic';
  if (!isClaude && request.choice?.mode === 'none' && request.tools.length > 0) {
    const param = request.names.toolChoice;
    throw unsupportedParameterError(
      param,
      `${param} can be none after earlier tool calls for Claude only: other models on Bedrock do not support it`,
    );
  }
  return { toolConfig: { tools }, modelFields: isClaude ? { tool_choice: { type: 'none' } } : {} };
}

function toolsForEarlierCalls(
  { turns, tools, names: parameterNames }: CompletionRequest,
  model: BedrockModel,
): JsonObject[] {
  const names = new Set(calledTools(turns).map(({ name }) => name));
  if (names.size === 0) return [];
  if (tools.length > 0) return tools.flatMap((tool) => toolEntries(tool, { model, names: parameterNames }));
  return [...names].map((name) => ({ toolSpec: { name, inputSchema: { json: { type: 'object' } } } }));
}

interface ToolContext {
  model: BedrockModel;
  names: ParameterNames;
}

/** Passes on a built-in tool of Bedrock without `type`, which exists in OpenAI's format only. */
function toolEntries(tool: Tool, context: ToolContext): JsonObject[] {
  if (tool.type === 'function') return [toolSpec(tool, context), ...toolCachePoint(tool, context.model)];
  // Custom tools were refused before.
  if (tool.type === 'custom') return [];
  const { type: _, ...entry } = tool.definition;
  return [entry];
}

function toolCachePoint({ cacheControl }: FunctionTool, model: BedrockModel): JsonObject[] {
  return model.caching === 'everywhere' ? cachePoint(cacheControl, model) : [];
}

function toolSpec(
  { name, description, parameters, strict }: FunctionTool,
  { model, names }: ToolContext,
): JsonObject {
  const isStrict = strict === true && supportsStrictTools(model);
  return {
    toolSpec: {
      name,
      ...(description?.trim() && { description }),
      inputSchema: {
        json: withoutAnnotations(argumentsSchema({ parameters, isStrict }, names).schema, model),
      },
      ...(isStrict && { strict }),
    },
  };
}

/** Keywords of a whole schema that describe it, and the one about other properties, which is reported if it has a schema. */
const annotations = ['$schema', '$id', '$comment', 'title', 'description', 'additionalProperties'];

/**
 * Nova refuses them at the top: https://docs.aws.amazon.com/nova/latest/userguide/tool-use-definition.html,
 * https://github.com/pydantic/pydantic-ai/issues/1623
 */
function withoutAnnotations(schema: JsonObject, { annotatedTools }: BedrockModel): JsonObject {
  if (annotatedTools) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !annotations.includes(name)));
}

/** The same models support strict tools and JSON Schemas. */
function supportsStrictTools({ jsonSchema }: BedrockModel): boolean {
  return jsonSchema === 'native';
}

function ignoredKeywords(request: CompletionRequest, model: BedrockModel): string[] {
  const { tools, names } = request;
  const hasOpenSchema = tools.some(
    (tool) => tool.type === 'function' && isExactJsonObject(tool.parameters?.additionalProperties),
  );
  const left = !model.annotatedTools && hasOpenSchema ? [`${names.toolParameters}.additionalProperties`] : [];
  return [...left, ...ignoredStrictness(request, model)];
}

function ignoredStrictness({ tools, names }: CompletionRequest, model: BedrockModel): string[] {
  const strict = tools.filter(
    (tool): tool is FunctionTool => tool.type === 'function' && tool.strict === true,
  );
  if (strict.length > 0 && !supportsStrictTools(model)) return [names.strictTools];
  return strict.flatMap(({ parameters }) => argumentsSchema({ parameters, isStrict: true }, names).ignored);
}

/** Returns the name of the tool whose arguments are the completion; `null` if the completion is text. */
export function jsonOutputToolName(
  { responseFormat, tools }: Pick<CompletionRequest, 'responseFormat' | 'tools'>,
  { jsonSchema }: BedrockModel,
): string | null {
  if (responseFormat.type !== 'json_schema' || jsonSchema !== 'tool') return null;
  const names = new Set(tools.map((tool) => (tool.type === 'function' ? tool.name : '')));
  let name = 'json_answer';
  while (names.has(name)) name += '_';
  return name;
}

/** https://docs.aws.amazon.com/nova/latest/userguide/prompting-structured-output.html */
function jsonOutputTool(request: CompletionRequest, model: BedrockModel): JsonObject | null {
  const name = jsonOutputToolName(request, model);
  const { responseFormat: format } = request;
  if (name === null || format.type !== 'json_schema') return null;
  if (format.schema.type !== 'object') {
    const param = request.names.responseSchema;
    throw invalidRequestError(param, `${param} must be of type object for this model`);
  }
  const description = format.description ?? `Gives the answer: ${format.name}`;
  return { toolSpec: { name, description, inputSchema: { json: withoutAnnotations(format.schema, model) } } };
}
