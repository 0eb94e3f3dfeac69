/** The Messages API of a fake provider after authentication: Anthropic's own, and Bedrock's, which has other model names. */
import { type JsonObject, objectOrEmpty, parseJson } from '#lambdas/platform/json/json.ts';
import { replay } from '../replay.ts';
import { changedThinkingRejection, toMessagesTurn } from '../scripted/anthropic.ts';
import { type ProviderBehaviour, simulateCompletion } from '../simulated-model.ts';
import type { RecordedRequest, Respond } from '../upstream-responses.ts';
import { findHeaderViolation } from './header-rules.ts';
import { anthropicEvent } from './message-events.ts';
import { findRejection, toTurns } from './request-rules.ts';
import { describeViolation, type MessagesRequest, messagesRequest } from './request-schema.ts';
import { messageId, respondWithTurn, type Turn } from './scripted-turns.ts';
import { type Threads, wholeConversation, withReply } from './threads.ts';

export interface MessagesBehaviour extends ProviderBehaviour {
  /** Chooses the response to a valid request; without one, the simulated model responds. */
  nextTurn?(request: MessagesRequest, requestId: string): Turn | undefined;
}

const maxBodyBytes = 32_000_000;

interface MessagesApi {
  models: RegExp;
  /** Headers of the response with the request's id. */
  requestIdHeaders: readonly string[];
  /** Unset where conversations are not kept. */
  threads?: Threads;
}

type ErrorFields = [status: number, type: string, message: string, details?: JsonObject];

/** https://platform.claude.com/docs/en/api/errors */
export function messagesError(
  { requestId }: RecordedRequest,
  { requestIdHeaders }: MessagesApi,
  [status, type, message, details]: ErrorFields,
): Respond {
  const identity = { requestId, requestIdHeaders, model: '' };
  return respondWithTurn({ status, type, message, details }, identity, false);
}

export function respondToMessages(
  request: RecordedRequest,
  behaviour: MessagesBehaviour,
  api: MessagesApi,
): Respond {
  const { body, headers, requestId } = request;
  const refuse = (...error: ErrorFields) => messagesError(request, api, error);
  const invalid = (message: string) => refuse(400, 'invalid_request_error', message);
  if (body.length > maxBodyBytes) return refuse(413, 'request_too_large', 'Request exceeds the maximum size');
  if (headers['content-type'] !== 'application/json')
    return invalid('content-type: must be application/json');
  const { data, error } = messagesRequest.safeParse(parseJson(body.toString()));
  if (error !== undefined) return invalid(describeViolation(error));
  if (!api.models.test(data.model) || behaviour.unknownModels?.includes(data.model))
    return refuse(404, 'not_found_error', `model: ${data.model}`);
  const { threads } = api;
  if (data.thread !== undefined && threads === undefined) {
    const details = { error_code: 'thread_unsupported_request', unsupported: ['thread'] };
    return refuse(400, 'invalid_request_error', 'thread: not supported', details);
  }
  const conversation = wholeConversation(data, threads ?? new Map());
  if (conversation === null) {
    const details = { error_code: 'thread_not_found' };
    return refuse(404, 'not_found_error', 'thread: not found', details);
  }
  const rejection = findHeaderViolation(data, headers) ?? findRejection(conversation);
  if (rejection !== null) return invalid(rejection);
  const streamed = data.stream === true;
  if (behaviour.fixture !== undefined) return replay(behaviour.fixture, streamed, anthropicEvent);
  const changed = behaviour.nextCompletion && changedThinkingRejection(conversation);
  if (changed) return invalid(changed);
  const turn =
    scriptedTurn(data, requestId, behaviour) ??
    behaviour.nextTurn?.(data, requestId) ??
    simulateTurn(data, requestId, behaviour);
  if (data.thread !== undefined && 'blocks' in turn)
    threads?.set(messageId(requestId), withReply(conversation, turn.blocks));
  return respondWithTurn(turn, { ...api, requestId, model: data.model }, streamed);
}

function scriptedTurn(
  request: MessagesRequest,
  requestId: string,
  { nextCompletion }: ProviderBehaviour,
): Turn | undefined {
  const asked = { hasTools: request.tools !== undefined, stream: request.stream === true };
  const turn = nextCompletion?.(asked, requestId);
  return turn && toMessagesTurn(turn, request, requestId);
}

function simulateTurn(request: MessagesRequest, requestId: string, behaviour: ProviderBehaviour): Turn {
  const simulated = simulateCompletion(toPrompt(request), behaviour);
  const usage = { input_tokens: 19, output_tokens: 5 };
  if (simulated.kind === 'text')
    return { blocks: [{ type: 'text', text: simulated.chunks.join('') }], usage };
  const { name, input } = simulated;
  const id = requestId.replace('req', 'toolu');
  return { blocks: [{ type: 'tool_use', id, name, input: objectOrEmpty(input) }], usage };
}

function toPrompt(request: MessagesRequest) {
  const { tools = [], tool_choice: choice, output_config } = request;
  const lastBlocks = toTurns(request).at(-1)?.blocks ?? [];
  const mayCall = choice?.type !== 'none' && !lastBlocks.some(({ type }) => type === 'tool_result');
  const tool = choice?.type === 'tool' ? tools.find(({ name }) => name === choice.name) : tools[0];
  return {
    tool: mayCall && tool !== undefined ? { name: tool.name } : undefined,
    schema: output_config?.format?.schema,
    lastUserText: lastBlocks.map(({ text = '' }) => text).join(''),
  };
}
