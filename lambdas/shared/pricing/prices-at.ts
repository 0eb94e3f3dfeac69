/** The prices of a model that hold at a moment: some begin on a day, some hold for hours of each day. */
import { type DatedPrices, isDated, type ListPrices, type ModelPrices } from './priced-model.ts';

export function pricesAt(prices: ModelPrices, at: Date): ListPrices {
  if (!isDated(prices)) return prices;
  const [day = '', time = ''] = at.toISOString().split('T');
  return (prices.findLast((entry) => holds(entry, day, time)) ?? prices[0]).prices;
}

/** Days and times as ISO 8601 writes them are in the order of their letters. */
function holds({ from, between }: DatedPrices, day: string, time: string): boolean {
  if (from !== undefined) return day >= from;
  if (between === undefined) return true;
  const [start, end] = between;
  return end < start ? time >= start || time < end : time >= start && time < end;
}
