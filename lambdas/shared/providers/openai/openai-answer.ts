/** What the log needs of an OpenAI-format answer, or of one chunk of it. */
import type { GatewayError } from '../../domain/gateway-error.ts';
import { isJsonObject, type JsonObject, objectOf, textOf } from '../../domain/json.ts';
import { readOpenAiUsage } from '../../domain/usage.ts';
import type { StatedCostField } from '../catalog.ts';
import { type AnswerFacts, noFacts } from '../provider.ts';
import { errorInsideAnswer, errorOf } from '../provider-error.ts';
import { loggedReason, statusOfFailure } from './finish-reasons.ts';
import { readStatedCost } from './stated-cost.ts';

export interface Asked {
  provider: string;
  model: string;
  statedCost: StatedCostField | null;
}

export function factsOfAnswer(answer: JsonObject, { statedCost }: Pick<Asked, 'statedCost'>): AnswerFacts {
  const reason = choicesOf(answer)
    .map(finishReasonOf)
    .find((said) => said !== null && statusOfFailure(said) === null);
  return {
    ...noFacts,
    ...usageFacts(answer, statedCost),
    responseModel: textOf(answer.model) || null,
    finishReason: reason == null ? null : loggedReason(reason),
  };
}

/** Usage stands in `usage`, in Groq's `x_groq.usage`, or (Moonshot) beside a choice. */
function usageFacts(
  answer: JsonObject,
  statedCost: StatedCostField | null,
): Pick<AnswerFacts, 'usage' | 'statedCostUsd'> {
  const places = [answer, answer.x_groq, ...choicesOf(answer)];
  for (const place of places) {
    const usage = isJsonObject(place) ? readOpenAiUsage(place.usage) : null;
    if (usage !== null && isJsonObject(place)) {
      return { usage, statedCostUsd: readStatedCost(place.usage, statedCost) };
    }
  }
  return { usage: null, statedCostUsd: null };
}

/**
 * An error in an answer with a status of 2xx: in place of the choices, in one of them (OpenRouter), under `x_groq`, or
 * in the word for how the answer ended.
 */
export function failureInside(answer: JsonObject, { provider, model }: Asked): GatewayError | null {
  const { x_groq: groq } = answer;
  const holders = [answer, ...(isJsonObject(groq) ? [{ error: groq.error }] : []), ...choicesOf(answer)];
  for (const holder of holders) {
    const failure = isJsonObject(holder) ? errorInsideAnswer(holder, { provider, model }) : null;
    if (failure !== null) return failure;
  }
  for (const reason of choicesOf(answer).map(finishReasonOf)) {
    const status = statusOfFailure(reason);
    const said = { message: `The provider ${provider} ended its answer with "${reason}"` };
    if (status !== null) return errorOf({ provider, model, status, said });
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
  return textOf(objectOf(choice).finish_reason) || null;
}
