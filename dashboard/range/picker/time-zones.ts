/** The time zones to choose from. */
import { dateFormat } from '#dashboard/components/values/locale.ts';
import { isUtc, zoneTitle } from '#dashboard/components/values/time-zone.ts';
import { isTimeZone } from '../zone.ts';

export interface ZoneOption {
  /** IANA name; `null` for the zone of each browser. */
  value: string | null;
  label: string;
  /** Such as "GMT+1". */
  readonly offset: string;
}

/** Browsers list some zones under the names that their places had. */
const newNames: Record<string, string> = {
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Godthab': 'America/Nuuk',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
};

const allZones = (): string[] => {
  const listed = Intl.supportedValuesOf('timeZone').filter((zone) => !isUtc(zone));
  return ['UTC', ...listed.map((zone) => newNames[zone] ?? zone).sort()];
};

/**
 * Returns the zones whose names have all words of the text, or the one that the text names exactly; without a text, the
 * browser's before all others.
 *
 * @param now the time for which the offsets hold
 */
export function zoneOptions(text: string, browserZone: string, now: Date): ZoneOption[] {
  const words = text
    .toLowerCase()
    .split(/[\s_]+/)
    .filter(Boolean);
  const option = (value: string): ZoneOption => ({
    value,
    label: zoneTitle(value),
    // Read for the zones that are shown: those of all together take a noticeable time.
    get offset() {
      return offsetOf(value, now);
    },
  });
  const matching = allZones().filter((zone) => {
    const name = zoneTitle(zone).toLowerCase();
    return words.every((word) => name.includes(word));
  });
  if (words.length === 0) {
    const ownZone = {
      ...option(browserZone),
      value: null,
      label: `This browser's: ${zoneTitle(browserZone)}`,
    };
    return [ownZone, ...matching.map(option)];
  }
  // Names that no list has, such as EST5EDT.
  const exact = text.trim();
  return matching.length === 0 && isTimeZone(exact) ? [option(exact)] : matching.map(option);
}

/** By the time for which they hold, which stays the same while somebody searches. */
const knownOffsets = new WeakMap<Date, Map<string, string>>();

function offsetOf(timeZone: string, now: Date): string {
  const known = knownOffsets.get(now) ?? new Map<string, string>();
  knownOffsets.set(now, known);
  const offset = known.get(timeZone) ?? readOffset(timeZone, now);
  known.set(timeZone, offset);
  return offset;
}

function readOffset(timeZone: string, now: Date): string {
  const parts = dateFormat({ timeZone, timeZoneName: 'shortOffset' }, 'en').formatToParts(now);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}
