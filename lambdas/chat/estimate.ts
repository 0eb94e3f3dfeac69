/** What a stream has used that ended before its provider told: guessed from the text that went and came. */
import type { ChatRequest } from '../shared/domain/chat-request.ts';
import { objectOf, objectsIn, textOf } from '../shared/domain/json.ts';
import { noUsage } from '../shared/domain/usage.ts';
import type { AnswerFacts, StreamFacts } from '../shared/providers/provider.ts';

/** Of English text; other languages take fewer for each token. */
const bytesPerToken = 4;

/** Of a stream that did not end as it should have. */
export interface ReadPart {
  facts: StreamFacts;
  /** Of the answer's text so far. */
  textBytes: number;
  request: Pick<ChatRequest, 'body'> | null;
}

/** `null` when the answer had not begun, or when the provider's own count is of all of it. */
export function estimateOf({ facts, textBytes, request }: ReadPart): AnswerFacts | null {
  if (!facts.started) return null;
  const { responseModel, finishReason, usage, statedCostUsd, complete, problem } = facts;
  const textTokens = tokensOf(textBytes);
  if (usage !== null) {
    const isOfAll = usage.outputTokens >= textTokens;
    if (complete || (problem !== null && isOfAll)) return null;
    // What was told counts for no less than was said; a cost that was stated goes with it.
    if (isOfAll) return { responseModel, finishReason, usage, statedCostUsd };
  }
  const told = usage ?? { ...noUsage, freshInputTokens: tokensOf(requestBytes(request)) };
  return {
    responseModel,
    finishReason,
    usage: { ...told, outputTokens: textTokens },
    statedCostUsd: null,
  };
}

function tokensOf(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

/** Of the text in the messages; what images and other files take is not known from their bytes. */
function requestBytes(request: ReadPart['request']): number {
  const texts = objectsIn(request?.body.messages).flatMap((message) => [
    textOf(message.content),
    ...objectsIn(message.content).map(({ text }) => textOf(text)),
    ...objectsIn(message.tool_calls).map((call) => textOf(objectOf(call.function).arguments)),
  ]);
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}
