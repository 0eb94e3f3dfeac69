/** The zone in which the page shows times, by its IANA name. */
import { createContext, useContext } from 'react';

/** Set around the views of somebody who is signed in: the zone of the view's link, or else the person's own. */
export const TimeZoneContext = createContext<string | null>(null);

/** The zone of all times in a view. Where nobody is signed in, it is that of the browser. */
export function useTimeZone(): string {
  return useContext(TimeZoneContext) ?? browserTimeZone();
}

export function browserTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Whether days of the zone are those of UTC all year: London's are not. */
export function isUtc(timeZone: string): boolean {
  return /^(etc\/)?(utc|uct|gmt|zulu|universal|greenwich)$/i.test(timeZone);
}

/** Returns text such as "America/New York". */
export function zoneTitle(timeZone: string): string {
  return isUtc(timeZone) ? 'UTC' : timeZone.replaceAll('_', ' ');
}
