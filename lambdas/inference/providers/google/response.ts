/** A `GenerateContentResponse`, whole or a chunk of a stream, piece by piece: https://ai.google.dev/api/generate-content */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { isJsonObject, type JsonObject, objectOf, objectsIn, textOf } from '#lambdas/platform/json/json.ts';
import { noUsage, readTokenCount, type TokenUsage } from '#lambdas/pricing/usage.ts';
import type { ChoiceSink, CompletionSink } from '../translation/sink.ts';
import { withThoughtSignature } from './contents.ts';
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

// Why a candidate ended: https://ai.google.dev/api/generate-content#FinishReason

export type GoogleFinish =
  | { kind: 'finished'; reason: 'stop' | 'length' }
  /** What was generated is kept back, or the rest of it. */
  | { kind: 'blocked' }
  /** The model did not manage to answer. */
  | { kind: 'failed' };

const blocked = [
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

const failed = [
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'MALFORMED_RESPONSE',
  'NO_IMAGE',
  'IMAGE_OTHER',
  'PUP_LIMITED_DISABLED',
];

/** A reason that is not known yet is taken for an end like any other. */
export function readGoogleFinish(reason: string): GoogleFinish {
  if (reason === 'MAX_TOKENS') return { kind: 'finished', reason: 'length' };
  if (blocked.includes(reason)) return { kind: 'blocked' };
  return failed.includes(reason) ? { kind: 'failed' } : { kind: 'finished', reason: 'stop' };
}

// Token usage of the Gemini API: https://ai.google.dev/api/generate-content#UsageMetadata

/**
 * For all chunks of one answer, of which each counts what was used until then. What a later one does not name stays as
 * it was. What Google charges for a search is not among it: how many are still free, no answer tells.
 */
export function createGoogleUsageReader(): (response: JsonObject) => TokenUsage | null {
  let metadata: JsonObject = {};
  return ({ usageMetadata }) => {
    if (isJsonObject(usageMetadata)) metadata = { ...metadata, ...usageMetadata };
    return readGoogleUsage(metadata);
  };
}

/**
 * `null` when nothing was counted. The prompt includes what was cached; beside it stand the prompts that tools of
 * Google's own made, which are input too. Thoughts are beside the candidates, unless the total says otherwise.
 */
function readGoogleUsage(metadata: JsonObject): TokenUsage | null {
  const count = (name: string) => readTokenCount(metadata[name]) ?? 0;
  const input = count('promptTokenCount') + count('toolUsePromptTokenCount');
  const candidates = count('candidatesTokenCount');
  const thoughts = count('thoughtsTokenCount');
  if (input + candidates + thoughts === 0) return null;
  // https://github.com/BerriAI/litellm/issues/11017
  const includesThoughts = metadata.totalTokenCount === input + candidates && candidates >= thoughts;
  const cached = Math.min(input, count('cachedContentTokenCount'));
  const audio = Math.min(
    input,
    tokensOf('AUDIO', metadata.promptTokensDetails) + tokensOf('AUDIO', metadata.toolUsePromptTokensDetails),
  );
  return {
    ...noUsage,
    freshInputTokens: input - cached,
    cachedInputTokens: cached,
    outputTokens: includesThoughts ? candidates : candidates + thoughts,
    reasoningTokens: thoughts,
    audioInputTokens: audio,
    cachedAudioInputTokens: Math.min(cached, audio, tokensOf('AUDIO', metadata.cacheTokensDetails)),
    audioOutputTokens: Math.min(candidates, tokensOf('AUDIO', metadata.candidatesTokensDetails)),
    imageOutputTokens: Math.min(candidates, tokensOf('IMAGE', metadata.candidatesTokensDetails)),
  };
}

function tokensOf(wanted: 'AUDIO' | 'IMAGE', details: unknown): number {
  const counts = objectsIn(details).filter(({ modality }) => modality === wanted);
  return counts.reduce((sum, { tokenCount }) => sum + (readTokenCount(tokenCount) ?? 0), 0);
}
