/** Returns such as "Priority" for `priority`. Without a tier, it is the standard one. */
export function tierTitle(tier: string | null): string {
  return tier === null ? 'Standard' : tier.charAt(0).toUpperCase() + tier.slice(1);
}
