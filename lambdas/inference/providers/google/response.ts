/**
 * Translates a `GenerateContentResponse`, which is a non-streaming response or a chunk of a stream.
 * https://ai.google.dev/api/generate-content
 */
import type { Payload } from '#lambdas/inference/completion/conversation.ts';
import { StatedError } from '#lambdas/inference/completion/facts.ts';
import { readFinish } from '#lambdas/inference/completion/finish-reasons.ts';
import type { ChoiceSink, CompletionSink } from '#lambdas/inference/completion/sink.ts';
import {
  filterObjects,
  isJsonObject,
  type JsonObject,
  numberOr,
  objectOrEmpty,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';
import type { ResponseHeaders } from '../http/client.ts';
import { serialize } from '../serialize.ts';
import { createBillingReader } from './usage.ts';

type TranslateGoogleResponse = (response: JsonObject, sink: CompletionSink) => void;

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

/** https://ai.google.dev/api/generate-content#FinishReason */
function translateFinish(
  word: string,
  explanation: string,
  { choice, sink }: { choice: ChoiceSink; sink: CompletionSink },
): void {
  const finish = readFinish(word);
  if (finish.kind === 'failed') {
    const message = `Google ended the response with ${word}${explanation === '' ? '' : `: ${explanation}`}`;
    sink.fail(new StatedError('provider_error', { message }));
    return;
  }
  const isBlocked = finish.kind !== 'aborted' && finish.reason === 'content_filter';
  if (isBlocked) choice.refusal(explanation || `Google stopped the response: ${word}`);
  choice.finish(word);
}

/** Omits executed code and calls of Google's built-in tools, for which OpenAI's format has no equivalent. */
function translatePart(part: JsonObject, choice: ChoiceSink): void {
  const signature = stringOrEmpty(part.thoughtSignature);
  const { functionCall, inlineData } = part;
  if (isJsonObject(functionCall)) {
    const call = choice.toolCall({
      id: stringOrEmpty(functionCall.id),
      name: stringOrEmpty(functionCall.name),
      payload: thoughtSignature(signature),
    });
    call.arguments(serialize(functionCall.args ?? {}));
    return;
  }
  const text = stringOrEmpty(part.text);
  if (part.thought === true) {
    if (text !== '') choice.reasoning(text);
    return;
  }
  if (text !== '') choice.text(text);
  else if (isJsonObject(inlineData)) translateMedia(inlineData, choice);
  if (signature !== '' && typeof part.text === 'string') choice.signature(thoughtSignature(signature));
}

function thoughtSignature(data: string): Payload | null {
  return data === '' ? null : { format: 'google', kind: 'signature', data };
}

/** Speech is PCM, sent in several chunks: https://ai.google.dev/gemini-api/docs/speech-generation */
function translateMedia({ mimeType, data }: JsonObject, choice: ChoiceSink): void {
  const mediaType = stringOrEmpty(mimeType);
  const base64 = stringOrEmpty(data);
  if (base64 === '') return;
  const [family] = mediaType.split('/');
  if (family === 'audio') choice.audio({ data: base64, mime_type: mediaType });
  else choice.media({ mediaType, data: base64 });
}
