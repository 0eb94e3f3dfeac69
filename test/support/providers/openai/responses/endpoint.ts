/**
 * The Responses API of a fake provider after authentication: OpenAI's own, and Azure's, whose models have other errors.
 * https://platform.openai.com/docs/api-reference/responses/create
 */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { toResponsesTurn } from '#test/support/providers/scripted/responses.ts';
import { type ProviderBehaviour, simulateCompletion } from '#test/support/providers/simulated-model.ts';
import type { RecordedRequest, Respond } from '#test/support/providers/upstream-responses.ts';
import { createKeptResponses, keepResponse, readConversation } from './conversation.ts';
import { findModelRefusal, type ModelAccess } from './model-rules.ts';
import { type Refusal, type ResponsesRequest, readRequest } from './request.ts';
import { encryptedContentOf, outputOf, respondWithTurn, responseId } from './response-events.ts';
import type { ErrorTurn, Turn } from './turns.ts';

export interface ResponsesBehaviour extends ProviderBehaviour, ModelAccess {
  /** Chooses the response to a valid request; without one, the simulated model responds. */
  nextResponse?(request: ResponsesRequest, requestId: string): Turn | undefined;
}

export interface ResponsesApi {
  /** The provider's own name of the model, for that in the request. */
  snapshotOf(model: string): string;
  unknownModel(model: string): ErrorTurn;
  extraFields?: JsonObject;
}

export type ResponsesEndpoint = (request: RecordedRequest, behaviour: ResponsesBehaviour) => Respond;

export const openAiResponses: ResponsesApi = {
  snapshotOf: (model) => ({ 'gpt-5.4': 'gpt-5.4-2026-03-05' })[model] ?? model,
  unknownModel: (model) => ({
    status: 400,
    error: {
      message: `The requested model '${model}' does not exist.`,
      type: 'invalid_request_error',
      param: 'model',
      code: 'model_not_found',
    },
  }),
};

const filtered = { filtered: false, severity: 'safe' };

/** As in a recording of the AI SDK's package for Azure. */
export const azureResponses: ResponsesApi = {
  snapshotOf: (model) => model,
  unknownModel: () => ({
    status: 404,
    error: {
      message:
        'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.',
      type: 'invalid_request_error',
      param: null,
      code: 'DeploymentNotFound',
    },
  }),
  extraFields: {
    content_filters: [
      {
        blocked: false,
        source_type: 'prompt',
        content_filter_raw: null,
        content_filter_results: { hate: filtered, self_harm: filtered, sexual: filtered, violence: filtered },
        content_filter_offsets: { start_offset: 0, end_offset: 18, check_offset: 0 },
      },
    ],
  },
};

export function createResponsesEndpoint(api: ResponsesApi): ResponsesEndpoint {
  const kept = createKeptResponses();
  return ({ body, requestId }, behaviour) => {
    const request = readRequest(body);
    const identity = { requestId, model: '', extraFields: api.extraFields };
    const refuse = (error: ErrorTurn) => respondWithTurn(error, { model: '' }, identity);
    if (isRefusal(request)) return refuse(toError(request));
    const { model } = request;
    if (!/^(gpt|o\d|my)-/.test(model) || behaviour.unknownModels?.includes(model))
      return refuse(api.unknownModel(model));
    const served = { ...identity, model: api.snapshotOf(model) };
    const refusal = findModelRefusal(request, behaviour);
    if (refusal !== null) return refuse(toError(refusal));
    const conversation = readConversation(request, kept, isOwnReasoning);
    if (isRefusal(conversation)) return refuse(toError(conversation));
    const turn =
      behaviour.nextResponse?.(request, requestId) ??
      scriptedTurn(request, requestId, behaviour) ??
      simulateTurn(request, conversation, requestId, behaviour);
    if (request.store !== false && 'items' in turn)
      keepResponse(kept, responseId(requestId), {
        before: conversation,
        output: outputOf(turn, request, served),
      });
    return respondWithTurn(turn, request, served);
  };
}

/** Whether not a letter of it has changed. */
function isOwnReasoning(encrypted: string): boolean {
  const decoded = Buffer.from(encrypted.replace('gAAAAA-', ''), 'base64url').toString();
  const [, model = '', id = ''] = /^(\S+) ((?:rs|cmp)_\d{34})$/.exec(decoded) ?? [];
  return encrypted === encryptedContentOf(model, id);
}

function isRefusal(value: object): value is Refusal {
  return 'status' in value && 'message' in value;
}

function toError({ status, ...error }: Refusal): ErrorTurn {
  return { status, error: { type: 'invalid_request_error', ...error } };
}

function scriptedTurn(
  request: ResponsesRequest,
  requestId: string,
  { nextCompletion }: ProviderBehaviour,
): Turn | undefined {
  const asked = { hasTools: request.tools !== undefined, stream: request.stream === true };
  const turn = nextCompletion?.(asked, requestId);
  return turn && toResponsesTurn(turn, request, requestId);
}

function simulateTurn(
  request: ResponsesRequest,
  conversation: readonly JsonObject[],
  requestId: string,
  behaviour: ProviderBehaviour,
): Turn {
  const simulated = simulateCompletion(toPrompt(request, conversation), behaviour);
  const usage = { input: 19, output: 5 };
  if (simulated.kind === 'text')
    return { items: [{ type: 'message', text: simulated.chunks.join('') }], usage };
  const { name, input } = simulated;
  const call_id = requestId.replace('req', 'call');
  return { items: [{ type: 'function_call', call_id, name, arguments: JSON.stringify(input) }], usage };
}

function toPrompt(request: ResponsesRequest, conversation: readonly JsonObject[]) {
  const { tools = [], tool_choice: choice, text } = request;
  const last = conversation.at(-1);
  const format = isJsonObject(text?.format) ? text.format : {};
  const functions = tools.filter(({ type }) => type === 'function');
  const chosen = isJsonObject(choice) ? functions.find(({ name }) => name === choice.name) : functions[0];
  const mayCall = choice !== 'none' && !String(last?.type).endsWith('_output');
  const content = last?.content;
  return {
    tool:
      mayCall && chosen !== undefined ? { name: String(chosen.name), schema: chosen.parameters } : undefined,
    schema: format.type === 'json_schema' ? format.schema : undefined,
    lastUserText:
      typeof content === 'string'
        ? content
        : (Array.isArray(content) ? content : []).map((part) => String(part?.text ?? '')).join(''),
  };
}
