/** The Messages API of a fake provider after authentication: Anthropic's own, and Bedrock's, which has other model names. */
import { objectOrEmpty, parseJson } from '#lambdas/platform/json/json.ts';
import { replay } from '../replay.ts';
import { type ProviderBehaviour, simulateCompletion } from '../simulated-model.ts';
import type { RecordedRequest, Respond } from '../upstream-responses.ts';
import { findFieldWithoutBeta } from './beta-fields.ts';
import { anthropicEvent } from './message-events.ts';
import { findRejection, toTurns } from './request-rules.ts';
import { describeViolation, type MessagesRequest, messagesRequest } from './request-schema.ts';
import { respondWithTurn, type Turn } from './scripted-turns.ts';

export interface MessagesBehaviour extends ProviderBehaviour {
  /** Responses to the next valid requests. When they are used up, the simulated model responds. */
  turns?: Turn[];
}

const maxBodyBytes = 32_000_000;

/** https://platform.claude.com/docs/en/api/errors */
export function errorResponse(requestId: string, status: number, type: string, message: string): Respond {
  return respondWithTurn({ status, type, message }, { requestId, model: '' }, false);
}

export function respondToMessages(
  { body, headers, requestId }: RecordedRequest,
  behaviour: MessagesBehaviour,
  models: RegExp,
): Respond {
  const invalid = (message: string) => errorResponse(requestId, 400, 'invalid_request_error', message);
  if (body.length > maxBodyBytes)
    return errorResponse(requestId, 413, 'request_too_large', 'Request exceeds the maximum size');
  const { 'anthropic-version': version, 'content-type': type } = headers;
  if (version === undefined) return invalid('anthropic-version: header is required');
  if (version !== '2023-06-01') return invalid(`anthropic-version: "${version}" is not a valid version`);
  if (type !== 'application/json') return invalid('content-type: must be application/json');
  const { data, error } = messagesRequest.safeParse(parseJson(body.toString()));
  if (error !== undefined) return invalid(describeViolation(error));
  if (!models.test(data.model) || behaviour.unknownModels?.includes(data.model))
    return errorResponse(requestId, 404, 'not_found_error', `model: ${data.model}`);
  const rejection = findFieldWithoutBeta(data, `${headers['anthropic-beta'] ?? ''}`) ?? findRejection(data);
  if (rejection !== null) return invalid(rejection);
  const streamed = data.stream === true;
  if (behaviour.fixture !== undefined) return replay(behaviour.fixture, streamed, anthropicEvent);
  const turn = behaviour.turns?.shift() ?? simulateTurn(data, requestId, behaviour);
  return respondWithTurn(turn, { requestId, model: data.model }, streamed);
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
