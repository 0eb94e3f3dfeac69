/**
 * Completes the usage of a request whose provider may have charged for more than it reported, from the texts of request and
 * response. Loaded while the provider works.
 */
import { inputTokens, noUsage, withMissing } from '#lambdas/pricing/usage.ts';
import { estimateTokens, inputOf, type Prompt } from './estimate.ts';
import {
  type KnownFacts,
  type ReaderFacts,
  type ResponseFacts,
  responseFactsOf,
  StatedError,
} from './facts.ts';

export interface ReadCompletion {
  facts: ReaderFacts;
  /** Counts the text received, in UTF-8: only for a response whose own usage is not final. */
  textBytes(): number;
  /** True when a hard budget holds a reservation, which a cost that is not final must not replace. */
  isReserved: boolean;
}

/**
 * Keeps the usage that the provider reported if it is final, and its absence if nothing is charged. Counts of 0 are no usage.
 * Beside output, an input of 0 is missing if the prompt is not empty; an output of 0 is missing if text was received.
 */
export function completeUsage(response: ReadCompletion, prompt: Prompt): KnownFacts {
  const { textBytes, isReserved } = response;
  const facts = withMissingInput(response.facts, prompt);
  const { started, ended, error, unitCounts } = facts;
  const known = responseFactsOf(facts);
  const { usage, reportedCostUsd } = known;
  const final = { facts: known, isUsageEstimated: false };
  const estimated = (changes: Partial<ResponseFacts>) => ({
    facts: { ...known, ...changes },
    isUsageEstimated: true,
  });
  if (ended && usage !== null && usage.outputTokens > 0) return final;
  const textTokens = estimateTokens(facts.textBytes ?? textBytes());
  const isRefused = error instanceof StatedError && !started;
  if (isRefused && textTokens === 0) return final;

  if (usage === null || inputTokens(usage) + usage.outputTokens === 0) {
    if (ended && isFree(known, textTokens)) return final;
    const { missing: _, ...counts } = { ...noUsage, ...usage, ...unitCounts };
    return estimated({
      usage: { ...counts, ...inputOf(prompt), outputTokens: textTokens },
      billedParts: null,
      reportedCostUsd: ended ? reportedCostUsd : null,
    });
  }
  if (ended) {
    if (textTokens === 0 || isBlocked(known)) return final;
    return { ...final, facts: { ...known, usage: withMissing(usage, ['output_tokens']), billedParts: null } };
  }
  if (usage.outputTokens < textTokens) {
    const { missing = [], ...counts } = usage;
    const covering = { ...counts, outputTokens: textTokens };
    const others = missing.filter((kind) => kind !== 'output_tokens');
    return estimated({ usage: withMissing(covering, others), billedParts: null, reportedCostUsd: null });
  }
  // The reported usage covers all received text, and so does a reported cost; there may be more to it that was not received.
  if (isReserved) return estimated({ reportedCostUsd: null });
  return error instanceof StatedError ? final : estimated({});
}

function withMissingInput(facts: ReaderFacts, prompt: Prompt): ReaderFacts {
  const { usage } = facts;
  if (usage === null || usage.outputTokens === 0 || inputTokens(usage) > 0) return facts;
  if (prompt.textBytes() === 0 && !prompt.hasAttachments()) return facts;
  return { ...facts, usage: withMissing(usage, ['input_tokens']), billedParts: null };
}

/** True when the model did not begin to answer. What the response states is then right: a text is that of the filter. */
function isFree(facts: ResponseFacts, textTokens: number): boolean {
  const { usage, reportedCostUsd } = facts;
  if (isBlocked(facts) && (usage !== null || reportedCostUsd !== null)) return true;
  return textTokens === 0 && (isBlocked(facts) || reportedCostUsd !== null);
}

function isBlocked({ finishReason }: ResponseFacts): boolean {
  return finishReason === 'content_filter';
}
