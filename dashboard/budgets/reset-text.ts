/** Returns such as "Resets 1 Dec 2026, 00:00 UTC". Periods are those of UTC, where they begin at midnight. */
export function resetText(periodEnd: string, locale?: Intl.LocalesArgument): string {
  const format = new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  return `Resets ${format.format(new Date(periodEnd))} UTC`;
}
