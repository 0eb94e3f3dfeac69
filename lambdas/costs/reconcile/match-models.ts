/** Matches the model names of the gateway with those of the invoice. */

/** `gpt-4o-2024-08-06`, `claude-opus-4-5-20251101` */
const dateSuffix = /-(?:\d{4}-\d{2}-\d{2}|\d{8})$/;

/**
 * Returns the gateway's key of each provider's key that has one. Names without a counterpart match if one is the other
 * with a date, and neither has another match: providers report usage of an alias under its snapshot, and vice versa.
 */
export function matchModels(
  gatewayKeys: Iterable<string>,
  providerKeys: Iterable<string>,
): Map<string, string> {
  const [gateway, provider] = [new Set(gatewayKeys), new Set(providerKeys)];
  const matches = new Map([...gateway.intersection(provider)].map((key) => [key, key]));
  const unmatched = Map.groupBy(gateway.difference(provider), withoutDate);
  for (const [undated, candidates] of Map.groupBy(provider.difference(gateway), withoutDate)) {
    const [providerKey = '', ...others] = candidates;
    const [gatewayKey, ...rivals] = unmatched.get(undated) ?? [];
    if (gatewayKey === undefined || others.length > 0 || rivals.length > 0) continue;
    // Two snapshots of a model can have different prices.
    if (gatewayKey === undated || providerKey === undated) matches.set(providerKey, gatewayKey);
  }
  return matches;
}

function withoutDate(key: string): string {
  return key.replace(dateSuffix, '');
}
