import type { Rates } from './rates.ts';
import {
  addUsage,
  type BilledPart,
  type BilledParts,
  contextTokens,
  totalUsage,
  unknownModel,
} from './usage.ts';

/** Far more than a response has; a provider must not be able to inflate the log entry. */
export const maxParts = 16;

/**
 * Adds up the rounds of the same model at the same prices, so that a long tool loop has few parts. Rounds without rates
 * are merged only if their context is the same, since a price that becomes known later may depend on it. More than 16
 * parts become one part, whose cost is unknown.
 */
export function mergeRounds(
  rounds: BilledParts,
  ratesOf: (round: BilledPart) => Rates | null = () => null,
): BilledParts {
  if (rounds.length === 1) return rounds;
  const byPrice = mergeBy(rounds, (round) => ratesOf(round) ?? contextTokens(round.usage));
  if (byPrice.length <= maxParts) return byPrice;
  const byModel = mergeBy(rounds, () => null);
  if (byModel.length <= maxParts) return byModel;
  return [{ model: unknownModel, usage: totalUsage(rounds) }];
}

function mergeBy(rounds: BilledParts, priceOf: (round: BilledPart) => unknown): BilledParts {
  const [first] = rounds;
  const merged = new Map<string, BilledPart>();
  for (const round of rounds) {
    const key = JSON.stringify([round.model, priceOf(round)]);
    const part = merged.get(key);
    const usage = part === undefined ? round.usage : addUsage(part.usage, round.usage);
    merged.set(key, { model: round.model, usage });
  }
  const [firstPart = first, ...otherParts] = merged.values();
  return [firstPart, ...otherParts];
}
