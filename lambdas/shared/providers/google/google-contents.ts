/** The turns of a conversation as `contents` of the Gemini API: https://ai.google.dev/api/caching#Content */
import { invalidRequest } from '../../domain/gateway-error.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { AssistantTurn, Turn, UserTurn } from '../translation/conversation.ts';
import type { AssistantMessage, ToolCall, ToolMessage } from '../translation/messages.ts';
import { functionResponse, mediaBesideResult } from './google-function-response.ts';
import { googlePart } from './google-media.ts';
import type { GoogleModel } from './google-models.ts';
import { thoughtSignatureOf } from './google-signatures.ts';

interface Call {
  name: string;
  number: number;
}

/** The calls so far. Some clients use an id again in the next turn: the last call of that id is meant. */
interface Calls {
  byId: Map<string, Call>;
  count: number;
}

export function googleContents(turns: readonly Turn[], model: GoogleModel): JsonObject[] {
  const calls: Calls = { byId: new Map(), count: 0 };
  return turns.flatMap((turn) =>
    turn.role === 'user' ? [userContent(turn, calls, model)] : modelContent(turn, calls, model),
  );
}

/** Without a word there is still a turn: the API wants a part in it. */
function userContent({ toolResults, parts }: UserTurn, calls: Calls, model: GoogleModel): JsonObject {
  const results = toolResults
    .map((result) => ({ result, call: callOf(result, calls) }))
    // Models before Gemini 3 know their calls by the order alone.
    .sort((left, right) => left.call.number - right.call.number);
  const written = [
    ...results.map(({ result, call }) => functionResponse(result, call.name, model)),
    ...results.flatMap(({ result }) => mediaBesideResult(result, model)),
    ...parts.map(googlePart),
  ];
  return { role: 'user', parts: written.length === 0 ? [{ text: '' }] : written };
}

function callOf({ toolCallId, param }: ToolMessage, calls: Calls): Call {
  const call = calls.byId.get(toolCallId);
  if (call !== undefined) return call;
  throw invalidRequest(
    `${param}.tool_call_id`,
    `${param}.tool_call_id must be the id of a call in an assistant message before it`,
  );
}

/** A turn without any part is left out. */
function modelContent({ messages }: AssistantTurn, calls: Calls, model: GoogleModel): JsonObject[] {
  const parts = messages.flatMap((message) => [...textParts(message), ...message.toolCalls.map(callPart)]);
  for (const { id, name } of messages.flatMap(({ toolCalls }) => toolCalls)) {
    calls.byId.set(id, { name, number: calls.count++ });
  }
  const first = parts.find(({ functionCall }) => functionCall !== undefined);
  if (first !== undefined && model.needsSignatures) first.thoughtSignature ??= standInSignature;
  return parts.length === 0 ? [] : [{ role: 'model', parts }];
}

/**
 * For calls of another model, and of callers who did not keep the signature: without one the request is refused.
 * https://ai.google.dev/gemini-api/docs/thought-signatures#faqs
 */
const standInSignature = 'skip_thought_signature_validator';

/** The signature of an answer stands on its last part. */
function textParts({ parts, source }: AssistantMessage): JsonObject[] {
  const signature = thoughtSignatureOf(source);
  return parts.map(({ text }, index) => ({
    text,
    ...(index === parts.length - 1 && signature !== null && { thoughtSignature: signature }),
  }));
}

function callPart({ id, name, arguments: args, source }: ToolCall): JsonObject {
  const signature = thoughtSignatureOf(source);
  return { functionCall: { id, name, args }, ...(signature !== null && { thoughtSignature: signature }) };
}
