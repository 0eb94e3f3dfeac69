/** What a well-formed request may still ask wrongly of a Gemini model; each rule gives the refusal, or `null`. */
import { type Content, conversationRefusal, type Part } from './google-conversation.ts';
import type { GoogleModel } from './google-models.ts';
import { type Schema, schemaProblem } from './google-schema.ts';

export interface GenerateContentRequest {
  contents?: Content[];
  systemInstruction?: { parts?: Part[] };
  tools?: Tool[];
  toolConfig?: { functionCallingConfig?: { mode?: string; allowedFunctionNames?: string[] } };
  generationConfig?: GenerationConfig;
}

interface Tool {
  functionDeclarations?: FunctionDeclaration[];
  [otherTool: string]: unknown;
}

interface FunctionDeclaration {
  name?: string;
  parameters?: Schema;
  parametersJsonSchema?: unknown;
}

interface GenerationConfig {
  candidateCount?: number;
  stopSequences?: string[];
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  responseMimeType?: string;
  responseSchema?: Schema;
  responseJsonSchema?: unknown;
  responseFormat?: { text?: { mimeType?: string; schema?: unknown } };
  thinkingConfig?: { includeThoughts?: boolean; thinkingBudget?: number; thinkingLevel?: string };
}

/** The refusal's text; the status is 400 INVALID_ARGUMENT in every case. */
export function requestRefusal(request: GenerateContentRequest, model: GoogleModel): string | null {
  const config = request.generationConfig ?? {};
  return (
    systemRefusal(request, model) ??
    conversationRefusal(request.contents ?? [], model) ??
    toolsRefusal(request.tools ?? []) ??
    toolConfigRefusal(request) ??
    samplingRefusal(config, model) ??
    thinkingRefusal(config, model) ??
    formatRefusal(request, config, model)
  );
}

export function declarationsOf({ tools = [] }: GenerateContentRequest): FunctionDeclaration[] {
  return tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
}

/** Whether the answer is to be JSON, whichever way it was asked for. */
export function wantsJson({ responseMimeType, responseFormat }: GenerationConfig): boolean {
  return responseMimeType === 'application/json' || responseFormat?.text?.mimeType === 'APPLICATION_JSON';
}

function systemRefusal({ systemInstruction }: GenerateContentRequest, model: GoogleModel): string | null {
  if (systemInstruction === undefined) return null;
  if (!model.takesSystemInstruction)
    return `Developer instruction is not enabled for models/${model.version}`;
  if (systemInstruction.parts?.length) return null;
  return '* GenerateContentRequest.system_instruction.parts: contents.parts must not be empty.\n';
}

function toolsRefusal(tools: Tool[]): string | null {
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const place = `* GenerateContentRequest.tools[${index}]`;
    if (Object.values(tool).every((value) => Array.isArray(value) && value.length === 0)) {
      return `${place}.tool_type: required one_of 'tool_type' must have one initialized field\n`;
    }
    for (const [number, { name = '', parameters, parametersJsonSchema }] of (
      tool.functionDeclarations ?? []
    ).entries()) {
      const declaration = `${place}.function_declarations[${number}]`;
      if (!/^[A-Za-z_][\w.:-]{0,63}$/.test(name)) {
        return `${declaration}.name: Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.\n`;
      }
      if (names.has(name)) return `Duplicate function declaration found: ${name}`;
      names.add(name);
      if (parameters !== undefined && parametersJsonSchema !== undefined) {
        return `${declaration}.parameters_json_schema: parameters must not be set when parameters_json_schema is set.\n`;
      }
      const problem = parameters === undefined ? null : schemaProblem(parameters, 'parameters');
      if (problem !== null) return `${declaration}.${problem}\n`;
    }
  }
  return null;
}

function toolConfigRefusal(request: GenerateContentRequest): string | null {
  const config = request.toolConfig?.functionCallingConfig;
  if (config === undefined) return null;
  const declared = declarationsOf(request).map(({ name }) => name);
  if (declared.length === 0) return 'Function calling config is set without function_declarations.';
  const { mode, allowedFunctionNames = [] } = config;
  if (allowedFunctionNames.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED') {
    return 'Please set allowed_function_names only when function calling mode is ANY.';
  }
  if (allowedFunctionNames.every((name) => declared.includes(name))) return null;
  return 'allowed_function_names should be a subset of the provided function_declarations';
}

function samplingRefusal(config: GenerationConfig, model: GoogleModel): string | null {
  const { temperature = 1, topP = 1, candidateCount = 1, stopSequences = [], maxOutputTokens = 1 } = config;
  const place = '* GenerateContentRequest.generation_config';
  if (temperature < 0 || temperature > 2) {
    return `${place}.temperature: temperature must be in the range [0.0, 2.0].\n`;
  }
  if (topP < 0 || topP > 1) return `${place}.top_p: top_p must be in the range [0.0, 1.0].\n`;
  if (maxOutputTokens < 1) return `${place}.max_output_tokens: max_output_tokens must be positive.\n`;
  if (stopSequences.length > 5) return 'the number of stop_sequences must not exceed 5';
  if (candidateCount < 1 || candidateCount > 8) {
    return `${place}.candidate_count: candidate_count must be in the range [1, 8].\n`;
  }
  if (candidateCount > 1 && !model.takesCandidateCount) {
    return 'Multiple candidates is not enabled for this model';
  }
  const penalized = config.presencePenalty !== undefined || config.frequencyPenalty !== undefined;
  return penalized && !model.takesPenalties ? `Penalty is not enabled for models/${model.version}` : null;
}

function thinkingRefusal({ thinkingConfig }: GenerationConfig, { thinking }: GoogleModel): string | null {
  if (thinkingConfig === undefined) return null;
  const { thinkingBudget: budget, thinkingLevel: level, includeThoughts } = thinkingConfig;
  if (budget !== undefined && level !== undefined) {
    return 'You can only set only one of thinking budget and thinking level.';
  }
  switch (thinking.by) {
    case 'nothing':
      return 'Thinking is not enabled for this model';
    case 'level':
      if (level !== undefined && !thinking.levels.includes(level)) {
        return `Thinking level ${level} is not supported for this model. Please retry with other thinking level.`;
      }
      return budget === 0 && !thinking.levels.includes('MINIMAL') ? alwaysThinks : null;
    case 'budget':
      if (level !== undefined) return 'Thinking level is not supported for this model.';
      if (budget === undefined || budget === -1) return null;
      if (budget !== 0) return outOfRange(budget, thinking);
      if (!thinking.canBeOff) return alwaysThinks;
      return includeThoughts ? 'Include_thoughts is only enabled when thinking is enabled.' : null;
    default:
      return thinking satisfies never;
  }
}

const alwaysThinks = 'Budget 0 is invalid. This model only works in thinking mode.';

function outOfRange(budget: number, { least, most }: { least: number; most: number }): string | null {
  if (budget >= least && budget <= most) return null;
  return `The thinking budget ${budget} is invalid. Please choose a value between ${least} and ${most}.`;
}

const mimeTypes = ['text/plain', 'application/json', 'application/xml', 'application/yaml', 'text/x.enum'];

function formatRefusal(
  request: GenerateContentRequest,
  config: GenerationConfig,
  model: GoogleModel,
): string | null {
  const place = '* GenerateContentRequest.generation_config';
  const { responseMimeType = 'text/plain', responseSchema, responseJsonSchema, responseFormat } = config;
  if (!mimeTypes.includes(responseMimeType)) {
    return `${place}.response_mime_type: allowed mimetypes are \`text/plain\`, \`application/json\`, \`application/xml\`, \`application/yaml\` and \`text/x.enum\`.\n`;
  }
  const problem = responseSchema === undefined ? null : schemaProblem(responseSchema, 'response_schema');
  if (problem !== null) return `${place}.${problem}\n`;
  const schemas = [responseSchema, responseJsonSchema, responseFormat?.text?.schema];
  if (schemas.filter((schema) => schema !== undefined).length > 1) {
    return `${place}: only one of response_schema, response_json_schema and response_format may be set.\n`;
  }
  if (!wantsJson(config)) {
    return schemas.every((schema) => schema === undefined)
      ? null
      : `${place}.response_schema: only allowed when response_mime_type is application/json.\n`;
  }
  if (declarationsOf(request).length === 0) return null;
  if (!model.takesJsonWithTools) return `Function calling ${jsonUnsupported}`;
  const forced = request.toolConfig?.functionCallingConfig?.mode === 'ANY';
  return forced ? `Forced function calling (ANY mode) ${jsonUnsupported}` : null;
}

const jsonUnsupported = "with a response mime type: 'application/json' is unsupported";
