/** The amount of a budget as users enter it, which becomes the decimal text of the API. */

export function normalizeAmount(value: string): string {
  return value.trim().replace(/^\$\s*/, '');
}

/** Returns why the value is refused, or null. */
export function checkAmount(value: string): string | null {
  const amount = normalizeAmount(value);
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(amount)) return 'Enter an amount of US dollars, such as 250 or 99.50';
  return /[1-9]/.test(amount) ? null : 'Enter an amount above 0';
}
