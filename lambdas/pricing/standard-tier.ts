/** Names of the standard tier, speed or place. Case does not matter. */
export function isStandardName(name: string): boolean {
  return /^(default|standard|auto|on_demand)$/i.test(name);
}
