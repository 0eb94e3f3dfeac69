/**
 * Translates a `GenerateContentResponse`, which is a non-streaming response or a chunk of a stream.
 * https://ai.google.dev/api/generate-content
 */
import { GatewayError } from '#lambdas/platform/errors.ts';
import {
  filterObjects,
  isJsonObject,
  type JsonObject,
  numberOr,
  objectOrEmpty,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';
import type { ResponseHeaders } from '../http/client.ts';
import type { ChoiceSink, CompletionSink } from '../translation/sink.ts';
import { withThoughtSignature } from './contents.ts';
import { createBillingReader } from './usage.ts';

export type TranslateGoogleResponse = (response: JsonObject, sink: CompletionSink) => void;

/** Each response requires its own translator, which receives all of its chunks. */
export function createGoogleTranslator(headers: ResponseHeaders): TranslateGoogleResponse {
  const readBilling = createBillingReader(headers);
  return (response, sink) => {
    sink.identify({ id: stringOrEmpty(response.responseId), model: stringOrEmpty(response.modelVersion) });
    sink.billing(readBilling(response));
    translateCandidates(response, sink);
  };
}

function translateCandidates(response: JsonObject, sink: CompletionSink): void {
  const candidates = filterObjects(response.candidates);
  const blockReason = stringOrEmpty(objectOrEmpty(response.promptFeedback).blockReason);
  if (candidates.length === 0 && blockReason !== '') {
    const choice = sink.choice(0);
    choice.refusal(`Google blocked the prompt: ${blockReason}`);
    choice.finish('content_filter');
  }
  for (const [position, candidate] of candidates.entries()) {
    translateCandidate(candidate, sink.choice(numberOr(candidate.index, position)), sink);
  }
}

function translateCandidate(candidate: JsonObject, choice: ChoiceSink, sink: CompletionSink): void {
  for (const part of filterObjects(objectOrEmpty(candidate.content).parts)) translatePart(part, choice);
  const reason = stringOrEmpty(candidate.finishReason);
  if (reason === '') choice.begin();
  else translateFinish(reason, stringOrEmpty(candidate.finishMessage), { choice, sink });
}

function translateFinish(
  reason: string,
  explanation: string,
  { choice, sink }: { choice: ChoiceSink; sink: CompletionSink },
): void {
  const finish = readFinish(reason);
  if (finish.kind === 'finished') choice.finish(finish.reason);
  else if (finish.kind === 'blocked') {
    choice.refusal(explanation || `Google stopped the response: ${reason}`);
    choice.finish('content_filter');
  } else {
    const message = `Google ended the response with ${reason}${explanation === '' ? '' : `: ${explanation}`}`;
    sink.fail(new GatewayError('provider_error', { message }));
  }
}

/** Omits executed code and calls of Google's built-in tools, for which OpenAI's format has no equivalent. */
function translatePart(part: JsonObject, choice: ChoiceSink): void {
  const signature = stringOrEmpty(part.thoughtSignature);
  const { functionCall, inlineData } = part;
  if (isJsonObject(functionCall)) {
    const extra = signature === '' ? {} : withThoughtSignature(signature);
    const call = choice.toolCall({
      id: stringOrEmpty(functionCall.id),
      name: stringOrEmpty(functionCall.name),
      extra,
    });
    call.arguments(JSON.stringify(functionCall.args ?? {}));
    return;
  }
  const text = stringOrEmpty(part.text);
  if (part.thought === true) {
    if (text !== '') choice.reasoning(text);
    return;
  }
  if (text !== '') choice.text(text);
  else if (isJsonObject(inlineData)) choice.extra({ images: [toImagePart(inlineData)] });
  if (signature !== '' && typeof part.text === 'string') choice.extra(withThoughtSignature(signature));
}

/** Uses the format of OpenRouter and LiteLLM, since OpenAI has none. */
function toImagePart({ mimeType, data }: JsonObject): JsonObject {
  return {
    type: 'image_url',
    image_url: { url: `data:${stringOrEmpty(mimeType)};base64,${stringOrEmpty(data)}` },
  };
}

/** https://ai.google.dev/api/generate-content#FinishReason */
type Finish = { kind: 'finished'; reason: 'stop' | 'length' } | { kind: 'blocked' } | { kind: 'failed' };

const blockedReasons = [
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'OTHER',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'ESCALATION',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
];

const failedReasons = [
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'MALFORMED_RESPONSE',
  'NO_IMAGE',
  'IMAGE_OTHER',
  'PUP_LIMITED_DISABLED',
];

/** An unknown reason counts as a normal stop. */
function readFinish(reason: string): Finish {
  if (reason === 'MAX_TOKENS') return { kind: 'finished', reason: 'length' };
  if (blockedReasons.includes(reason)) return { kind: 'blocked' };
  return failedReasons.includes(reason) ? { kind: 'failed' } : { kind: 'finished', reason: 'stop' };
}
