/**
 * Lists the parts of a message that are billed separately. When the API lists the rounds of a message, they are the
 * record of what is billed: the totals contain only the rounds of the model that served the message.
 * https://platform.claude.com/docs/en/build-with-claude/compaction#understanding-usage
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/advisor-tool#usage-and-billing
 * https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback#billing-and-rate-limits
 */
import {
  addUsage,
  type BilledPart,
  cacheWriteTokens,
  noUsage,
  type TokenUsage,
  unknownModel,
} from '#lambdas/pricing/usage.ts';
import type { ReportedUsage } from './usage.ts';

export interface BilledMessage {
  usage: ReportedUsage;
  requestedModel: string;
  responseModel: string;
  /** The categories of the refusals that caused a fallback, by the model that declined. */
  declines: ReadonlyMap<string, RefusalCategory>;
  /** Set when the model that served the message declined before any output. */
  refusal: RefusalCategory | null;
}

/** Empty for a refusal without a category. */
export type RefusalCategory = string;

/**
 * The only refusals that are charged without output.
 * https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback#how-refusals-are-billed
 */
const billedRefusals: readonly RefusalCategory[] = ['bio', 'frontier_llm', 'reasoning_extraction'];

/** Empty when nothing of the message is billed. */
export function listBilledParts(message: BilledMessage): BilledPart[] {
  const groups = groupRounds(message);
  const parts = [
    ...servedParts(message, groups),
    ...declinedParts(message, groups.declined),
    ...groups.others.map(otherPart),
  ];
  return parts.map(({ model, usage }) => ({ model: model === message.responseModel ? null : model, usage }));
}

interface RoundGroups {
  servedModel: string;
  /** The rounds of the model that served the message. */
  served: NamedPart[];
  /** The rounds of models that declined before a fallback. */
  declined: NamedPart[];
  others: BilledPart[];
}

type NamedPart = BilledPart & { model: string };

function groupRounds({ usage: { rounds }, requestedModel, responseModel }: BilledMessage): RoundGroups {
  const fallback = rounds.findLast(({ type }) => type === 'fallback_message');
  const servedModel = fallback?.model ?? responseModel;
  const groups: RoundGroups = { servedModel, served: [], declined: [], others: [] };
  for (const { type, model, usage } of rounds) {
    // The requested model writes the summaries, even when another model serves the message.
    if (type === 'compaction')
      groups.others.push({ model: fallback === undefined ? responseModel : requestedModel, usage });
    else if (type !== 'message' && type !== 'fallback_message') groups.others.push({ model, usage });
    else if (fallback === undefined || model === null || model === servedModel)
      groups.served.push({ model: model ?? servedModel, usage });
    else groups.declined.push({ model, usage });
  }
  return groups;
}

function servedParts({ usage, refusal }: BilledMessage, { servedModel, served }: RoundGroups): NamedPart[] {
  const { totals } = usage;
  const { webSearches, reasoningTokens = 0 } = totals ?? {};
  if (refusal !== null && !billedRefusals.includes(refusal))
    return withWebSearches([], { model: servedModel, webSearches });
  if (totals !== null && !addUpToTotals(served, totals, usage))
    return [{ model: servedModel, usage: totals }];
  return withWebSearches(withReasoning(served, reasoningTokens), { model: servedModel, webSearches });
}

/** Rounds with unreadable counts are billed even if the totals are readable, since their price is not known. */
function addUpToTotals(served: readonly NamedPart[], totals: TokenUsage, { rounds }: ReportedUsage): boolean {
  if (totals.missing !== undefined || rounds.length === 0) return false;
  // A response that pauses after compaction has no message.
  if (rounds.every(({ type }) => type === 'compaction')) return true;
  const sum = served.map(({ usage }) => usage).reduce(addUsage, noUsage);
  if (sum.missing !== undefined) return true;
  return (
    sum.freshInputTokens === totals.freshInputTokens &&
    sum.cachedInputTokens === totals.cachedInputTokens &&
    cacheWriteTokens(sum) === cacheWriteTokens(totals) &&
    sum.outputTokens === totals.outputTokens
  );
}

/** Only the totals contain the reasoning tokens, which are a part of the output of these rounds. */
function withReasoning(rounds: readonly NamedPart[], total: number): NamedPart[] {
  let remaining = total;
  return rounds.map(({ model, usage }) => {
    const reasoningTokens = Math.min(remaining, usage.outputTokens);
    remaining -= reasoningTokens;
    return { model, usage: { ...usage, reasoningTokens } };
  });
}

/** Only the totals contain the web searches, which are billed even when no round is. */
function withWebSearches(
  rounds: NamedPart[],
  { model, webSearches }: { model: string; webSearches: number | undefined },
): NamedPart[] {
  if (webSearches === undefined) return rounds;
  const [first = { model, usage: noUsage }, ...others] = rounds;
  return [{ model: first.model, usage: { ...first.usage, webSearches } }, ...others];
}

/** An attempt that declined before any output is free, unless its refusal is billed. */
function declinedParts(
  { declines, requestedModel }: BilledMessage,
  rounds: readonly NamedPart[],
): BilledPart[] {
  const withOutput = new Set(
    rounds
      .filter(({ usage }) => usage.outputTokens > 0 || usage.missing !== undefined)
      .map(({ model }) => model),
  );
  const refusalOf = (model: string) => {
    const named = [...declines].find(([name]) => withoutDate(name) === withoutDate(model))?.[1];
    // The first refusal names the requested model as the request does, perhaps by an alias.
    return named ?? (model === rounds[0]?.model ? declines.get(requestedModel) : undefined) ?? '';
  };
  return rounds.filter(({ model }) => withOutput.has(model) || billedRefusals.includes(refusalOf(model)));
}

/** Rounds name the dated snapshot of a model, refusals the name that was sent. */
function withoutDate(model: string): string {
  return model.replace(/-\d{8}$/, '');
}

/** Without the name of its model, a round has no known price. */
function otherPart({ model, usage }: BilledPart): BilledPart {
  return { model: model ?? unknownModel, usage };
}
