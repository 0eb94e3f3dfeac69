/** Shortens the texts of a provider to keep the item of a log entry below 1 kB, and replaces their line breaks. */
import type { BilledParts } from '#lambdas/pricing/usage.ts';
import { toPrintable } from '#lambdas/request-log/printable-text.ts';
import type { ResponseFacts } from '../providers/provider.ts';

/** Names of tiers and places are shorter, since the tier is also part of the keys of rollups. */
const maxNameLength = 32;

export function toShortLine(text: string | null, maxLength = 128): string | null {
  return text === null ? null : toPrintable(text.slice(0, maxLength));
}

/** Prices are looked up by the shortened texts, so that a reprice of the log entry finds the same ones. */
export function shortenFacts(facts: ResponseFacts): ResponseFacts {
  return {
    ...facts,
    responseModel: toShortLine(facts.responseModel),
    serviceTier: toShortLine(facts.serviceTier, maxNameLength),
    speed: toShortLine(facts.speed, maxNameLength),
    inferenceGeo: toShortLine(facts.inferenceGeo, maxNameLength),
    billedParts: facts.billedParts && shortenParts(facts.billedParts),
  };
}

function shortenParts([first, ...others]: BilledParts): BilledParts {
  const shorten = (part: BilledParts[number]) => ({ ...part, model: toShortLine(part.model) });
  return [shorten(first), ...others.map(shorten)];
}
