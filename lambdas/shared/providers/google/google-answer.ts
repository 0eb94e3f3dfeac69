/** A `GenerateContentResponse`, whole or a chunk of a stream, piece by piece: https://ai.google.dev/api/generate-content */
import { GatewayError } from '../../domain/gateway-error.ts';
import { isJsonObject, type JsonObject, objectOf, objectsIn, textOf } from '../../domain/json.ts';
import type { ChoiceSink, CompletionSink } from '../translation/completion-sink.ts';
import { readGoogleFinish } from './google-finish.ts';
import { withThoughtSignature } from './google-signatures.ts';
import { createGoogleUsageReader } from './google-usage.ts';

export type TranslateGoogleResponse = (response: JsonObject, sink: CompletionSink) => void;

/** For all chunks of one answer. */
export function createGoogleTranslator(): TranslateGoogleResponse {
  const readUsage = createGoogleUsageReader();
  return (response, sink) => {
    sink.identify({ id: textOf(response.responseId), model: textOf(response.modelVersion) });
    const usage = readUsage(response);
    if (usage !== null) sink.usage(usage);
    translateCandidates(response, sink);
  };
}

function translateCandidates(response: JsonObject, sink: CompletionSink): void {
  const candidates = objectsIn(response.candidates);
  const blocked = textOf(objectOf(response.promptFeedback).blockReason);
  if (candidates.length === 0 && blocked !== '') {
    const choice = sink.choice(0);
    choice.refusal(`Google blocked the prompt: ${blocked}`);
    choice.finish('content_filter');
  }
  for (const [place, candidate] of candidates.entries()) {
    const index = typeof candidate.index === 'number' ? candidate.index : place;
    translateCandidate(candidate, sink.choice(index), sink);
  }
}

function translateCandidate(candidate: JsonObject, choice: ChoiceSink, sink: CompletionSink): void {
  for (const part of objectsIn(objectOf(candidate.content).parts)) translatePart(part, choice);
  const reason = textOf(candidate.finishReason);
  if (reason === '') choice.begin();
  else translateFinish({ reason, said: textOf(candidate.finishMessage) }, choice, sink);
}

function translateFinish(
  { reason, said }: { reason: string; said: string },
  choice: ChoiceSink,
  sink: CompletionSink,
): void {
  const finish = readGoogleFinish(reason);
  if (finish.kind === 'finished') choice.finish(finish.reason);
  else if (finish.kind === 'blocked') {
    choice.refusal(said || `Google stopped the answer: ${reason}`);
    choice.finish('content_filter');
  } else {
    const message = `Google ended the answer with ${reason}${said === '' ? '' : `: ${said}`}`;
    sink.fail(new GatewayError('provider_error', { message }));
  }
}

/** Code that Google ran, and calls of its own tools, have no place in OpenAI's format and are left out. */
function translatePart(part: JsonObject, choice: ChoiceSink): void {
  const signature = textOf(part.thoughtSignature);
  const { functionCall, inlineData } = part;
  if (isJsonObject(functionCall)) {
    const extra = signature === '' ? {} : withThoughtSignature(signature);
    const call = choice.toolCall({
      id: textOf(functionCall.id),
      name: textOf(functionCall.name),
      extra,
    });
    call.arguments(JSON.stringify(functionCall.args ?? {}));
    return;
  }
  const text = textOf(part.text);
  if (part.thought === true) {
    if (text !== '') choice.reasoning(text);
    return;
  }
  if (text !== '') choice.text(text);
  else if (isJsonObject(inlineData)) choice.extra({ images: [imageOf(inlineData)] });
  if (signature !== '' && typeof part.text === 'string') choice.extra(withThoughtSignature(signature));
}

/** In the form that OpenRouter and LiteLLM made common; OpenAI's has none. */
function imageOf({ mimeType, data }: JsonObject): JsonObject {
  return {
    type: 'image_url',
    image_url: { url: `data:${textOf(mimeType)};base64,${textOf(data)}` },
  };
}
