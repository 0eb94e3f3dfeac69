/** Reads a question into the neutral form: `{ "model", "question", "instructions", "max_tokens", "stream" }`. */
import type { TextPart } from '#lambdas/inference/completion/content.ts';
import type { CompletionRequest, ParameterNames } from '#lambdas/inference/completion/request.ts';
import type { CompletionCall } from '#lambdas/inference/providers/provider.ts';
import { parseBody, readModel } from '#lambdas/inference/request-body.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import {
  readOptionalBoolean,
  readOptionalNumber,
  readOptionalText,
  readText,
} from '#lambdas/platform/json/fields.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { createResponseWriter } from './writer.ts';

export interface QuestionRequest extends CompletionCall {
  format: 'responses';
  /** `<provider>/<model>`. */
  model: string;
  completion: CompletionRequest;
}

/** Throws a `GatewayError` (400) that names the invalid field. */
export function parseQuestion(text: string): QuestionRequest {
  const body = parseBody(text);
  const model = readModel(body);
  const stream = readOptionalBoolean(body.stream, 'stream') ?? false;
  const completion = toCompletionRequest(body);
  refuseUnknownFields(body);
  return {
    format: 'responses',
    model,
    stream,
    completion,
    readCompletion: async () => completion,
    loadWriter: async () => createResponseWriter(stream),
  };
}

function refuseUnknownFields(body: JsonObject): void {
  const known = ['instructions', 'max_tokens', 'model', 'question', 'stream'];
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalidRequestError(unknown, `${unknown} is not a field of a question`);
}

function toCompletionRequest(body: JsonObject): CompletionRequest {
  const question = readText(body.question, 'question');
  if (question.trim() === '') throw invalidRequestError('question', 'question must not be empty');
  const instructions = readOptionalText(body.instructions, 'instructions');
  const maxTokens = readOptionalNumber(body.max_tokens, names.maxTokens);
  return {
    system: instructions === null ? [] : [textPart(instructions, 'instructions')],
    turns: [{ role: 'user', toolResults: [], parts: [textPart(question, 'question')] }],
    tools: [],
    choice: null,
    toolNames: [],
    parallelToolCalls: null,
    responseFormat: { type: 'text' },
    stop: [],
    maxTokens,
    temperature: null,
    topP: null,
    topK: null,
    frequencyPenalty: null,
    presencePenalty: null,
    seed: null,
    n: null,
    reasoningEffort: null,
    reasoningBudget: null,
    reasoningSummary: null,
    user: null,
    settings: maxTokens === null ? [] : [maxTokensSetting(maxTokens)],
    omissions: [],
    names,
    providerFields: {},
  };
}

function textPart(text: string, param: string): TextPart {
  return { type: 'text', text, cacheControl: null, param };
}

function maxTokensSetting(value: number): CompletionRequest['settings'][number] {
  return {
    name: names.maxTokens,
    key: 'maxTokens',
    value,
    isDefault: false,
    loss: 'meaning',
    replacement: null,
  };
}

/** A question has no other settings: what a provider says about them is about the whole body. */
const names: ParameterNames = {
  maxTokens: 'max_tokens',
  messages: 'question',
  content: 'question',
  role: 'question',
  responseFormat: 'body',
  stop: 'body',
  tools: 'body',
  toolChoice: 'body',
  parallelToolCalls: 'body',
  temperature: 'body',
  topP: 'body',
  topK: 'body',
  frequencyPenalty: 'body',
  presencePenalty: 'body',
  seed: 'body',
  n: 'body',
  reasoningEffort: 'body',
  reasoningBudget: 'body',
  reasoningSummary: 'body',
  user: 'body',
  reasoning: 'body',
  resultError: 'body',
  callArguments: 'body',
  generatedImages: 'body',
  imageDetail: 'body',
  filename: 'body',
  cacheControl: 'body',
  strictTools: 'body',
  toolParameters: 'body',
  responseSchema: 'body',
};
