/** A model of `@pydantic/genai-prices`, reduced to what the gateway uses of it. */
import type { ConditionalPrice, MatchLogic, ModelInfo, ModelPrice } from '@pydantic/genai-prices';
import type {
  DatedPrices,
  ListPrices,
  ModelPrices,
  NameMatch,
  PricedModel,
} from '#lambdas/pricing/find-model.ts';

export function reducedModel({ id, match, prices, deprecated }: ModelInfo): PricedModel {
  const names = reducedMatch(match);
  if (deprecated === true) return [id, reducedPrices(prices), names, 'deprecated'];
  return names === id ? [id, reducedPrices(prices)] : [id, reducedPrices(prices), names];
}

function reducedMatch(match: MatchLogic): NameMatch {
  if ('or' in match) return match.or.map(reducedMatch);
  if ('and' in match) return { and: match.and.map(reducedMatch) };
  if ('starts_with' in match) return { starts_with: match.starts_with.toLowerCase() };
  if ('ends_with' in match) return { ends_with: match.ends_with.toLowerCase() };
  if ('contains' in match) return { contains: match.contains.toLowerCase() };
  // The list of models shows whole names, in the case that the provider writes them in.
  return 'equals' in match ? match.equals : match;
}

function reducedPrices(prices: ModelInfo['prices']): ModelPrices {
  if (!Array.isArray(prices)) return listPrices(prices);
  const [first, ...others] = prices.map(datedPrices);
  if (first === undefined) throw new Error('A model has an empty list of prices');
  return [first, ...others];
}

function datedPrices({ constraint, prices }: ConditionalPrice): DatedPrices {
  if (constraint === undefined) return { prices: listPrices(prices) };
  return constraint.type === 'start_date'
    ? { from: day(constraint.start_date), prices: listPrices(prices) }
    : { between: [time(constraint.start_time), time(constraint.end_time)], prices: listPrices(prices) };
}

/** `2026-08-17`, which a moment as ISO 8601 writes it can be compared with. */
function day(text: string): string {
  return checked(text, /^\d{4}-\d{2}-\d{2}$/);
}

/** `16:30:00Z` without its zone, for the same reason. */
function time(text: string): string {
  return checked(text, /^\d{2}:\d{2}:\d{2}Z$/).slice(0, -1);
}

function checked(text: string, form: RegExp): string {
  if (!form.test(text)) throw new Error(`The prices have a date or time of a new form: ${text}`);
  return text;
}

function listPrices(prices: ModelPrice): ListPrices {
  return Object.fromEntries(
    Object.entries(prices).map(([key, price]) => [key.replace(/_mtok$/, ''), reducedPrice(price)]),
  );
}

function reducedPrice(price: ModelPrice[string]): ListPrices[string] {
  if (typeof price !== 'object') return price;
  const tiers = price.tiers.toSorted((left, right) => left.start - right.start);
  return [price.base, ...tiers.map((tier) => [tier.start, tier.price] as const)];
}
