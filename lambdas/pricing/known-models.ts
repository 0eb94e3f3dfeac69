/** The models of a provider that the price table knows, answer chats, and can be called by the name that is told. */

import { isAnyOf, isDated, type NameMatch, type PricedModel, providerPrices } from './find-model.ts';
import { type ModelNames, modelNames } from './model-names.ts';
import { providerInTable } from './table-names.ts';

export interface KnownModelsRequest {
  provider: string;
  /** Of the provider's endpoint, for one that has regions. */
  region: string;
  /** Models that the provider has shut down by then are left out. */
  at: Date;
}

export type FindKnownModels = (request: KnownModelsRequest) => string[];

/** What a name says of a model that is made for something else than chats. */
const otherUses =
  /(^|[^a-z])(embed|embedding|tts|transcribe|whisper|realtime|live|moderation|guard|safeguard|content-safety|image|ocr|rerank|voice|sonic|lyria)([^a-z]|$)/i;

/** Sorted by name; empty for a provider that the table does not know. */
export const findKnownModels: FindKnownModels = ({ provider, region, at }) => {
  const models = providerPrices(providerInTable(provider))?.models ?? [];
  const names: ModelNames = (Object.hasOwn(modelNames, provider) && modelNames[provider]) || {};
  const gone = shutDownBy(at, names);
  const listed = models
    .filter((model) => isForChats(model) && !gone.has(model[0]))
    .filter(([id]) => !names.leaveOut?.some((pattern) => pattern.test(id)))
    .flatMap((model) => names.called?.[model[0]] ?? [nameOf(model)])
    .filter((name) => names.isInRegion?.(name, region) ?? true);
  return [...new Set(listed)].sort();
};

function shutDownBy(at: Date, { shutDown = {} }: ModelNames): Set<string> {
  const today = at.toISOString().slice(0, 10);
  return new Set(Object.entries(shutDown).flatMap(([day, models]) => (day <= today ? models : [])));
}

function isForChats([id, prices, , deprecated]: PricedModel): boolean {
  if (deprecated !== undefined || otherUses.test(id)) return false;
  const dated = isDated(prices) ? prices : [{ prices }];
  const priced = new Set(dated.flatMap((entry) => Object.keys(entry.prices)));
  if (priced.has('output_image') || priced.has('output_video')) return false;
  // Without any price it is free; with another unit than tokens it does not chat.
  return priced.size === 0 || (priced.has('input') && priced.has('output'));
}

/** The table's own name for a model is at times none that it would find the model by. */
function nameOf([id, , match = id]: PricedModel): string {
  const exact = exactNames(match);
  return exact === null || exact.includes(id) ? id : (exact[0] ?? id);
}

/** `null` where names of a pattern match too. */
function exactNames(match: NameMatch): string[] | null {
  if (typeof match === 'string') return [match];
  if (!isAnyOf(match)) return null;
  const names = match.map(exactNames);
  return names.includes(null) ? null : names.flatMap((each) => each ?? []);
}
