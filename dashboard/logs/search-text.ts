/** How far a search through log entries has come, in words. */
import { formatDateTime } from '#dashboard/components/values/time-format.ts';

export function searchingText(searchedBackTo: string | null, timeZone: string): string {
  return searchedBackTo === null ? 'Searching…' : `Searching back to ${timeText(searchedBackTo, timeZone)} …`;
}

export function pausedText(searchedBackTo: string | null, timeZone: string): string {
  return searchedBackTo === null
    ? 'Stopped searching.'
    : `Searched back to ${timeText(searchedBackTo, timeZone)}.`;
}

function timeText(time: string, timeZone: string): string {
  return formatDateTime(new Date(time), undefined, timeZone);
}
