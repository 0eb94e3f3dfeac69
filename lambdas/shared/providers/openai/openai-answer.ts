/** What the log needs of an OpenAI-format answer, or of one chunk of it. */
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { readOpenAiUsage, type TokenUsage } from '../../domain/usage.ts';
import { type AnswerFacts, noFacts } from '../provider.ts';

export function factsOfAnswer(answer: JsonObject): AnswerFacts {
  return {
    ...noFacts,
    responseModel: typeof answer.model === 'string' && answer.model !== '' ? answer.model : null,
    usage: usageOf(answer),
    finishReason:
      choicesOf(answer)
        .map(finishReasonOf)
        .find((reason) => reason !== null) ?? null,
  };
}

/** Usage stands in `usage`, in Groq's `x_groq.usage`, or (Moonshot) beside a choice. */
function usageOf(answer: JsonObject): TokenUsage | null {
  const places = [answer, answer.x_groq, ...choicesOf(answer)];
  for (const place of places) {
    const usage = isJsonObject(place) ? readOpenAiUsage(place.usage) : null;
    if (usage !== null) return usage;
  }
  return null;
}

/** Whether a chunk holds usage and no piece of an answer: what OpenAI sends last when it is asked for usage. */
export function isUsageChunk(chunk: JsonObject): boolean {
  return choicesOf(chunk).length === 0 && isJsonObject(chunk.usage);
}

/** The choices that this chunk ends, by their index. */
export function finishedChoices(chunk: JsonObject): number[] {
  return choicesOf(chunk).flatMap((choice, place) => {
    if (finishReasonOf(choice) === null) return [];
    return [isJsonObject(choice) && typeof choice.index === 'number' ? choice.index : place];
  });
}

function choicesOf(answer: JsonObject): unknown[] {
  return Array.isArray(answer.choices) ? answer.choices : [];
}

function finishReasonOf(choice: unknown): string | null {
  return isJsonObject(choice) && typeof choice.finish_reason === 'string' ? choice.finish_reason : null;
}
