/**
 * One locale for words and one for figures. The page is written in English: months, days and units are English everywhere,
 * in the order and with the clock of the reader. Figures have the reader's separators and places of signs, in Latin digits.
 */

export type Locale = Intl.LocalesArgument;

/** Formats of figures, of which there are few: to make one takes a hundred times as long as to use it. */
const numberFormats = new Map<string, Intl.NumberFormat>();

/** @param locale by default that of the browser */
export function numberFormat(options: Intl.NumberFormatOptions = {}, locale?: Locale): Intl.NumberFormat {
  const key = JSON.stringify([String(locale), options]);
  const format =
    numberFormats.get(key) ??
    new Intl.NumberFormat(figureLocale(locale), { numberingSystem: 'latn', ...options });
  numberFormats.set(key, format);
  return format;
}

/**
 * Hours have one form, whatever else is shown: two digits in a clock of 24 hours, "00:05", and no zero in one of 12, "1:13 PM".
 *
 * @param locale by default that of the browser
 */
export function dateFormat(options: Intl.DateTimeFormatOptions, locale?: Locale): Intl.DateTimeFormat {
  const words = wordLocale(locale);
  const format = new Intl.DateTimeFormat(words, options);
  if (options.hour === undefined) return format;
  const hour = format.resolvedOptions().hour12 ? 'numeric' : '2-digit';
  return options.hour === hour ? format : new Intl.DateTimeFormat(words, { ...options, hour });
}

/** Their figures carry invisible marks of direction, which would turn English text around. */
const rightToLeft = /^(?:ar|ckb|dv|fa|he|ks|ps|sd|ug|ur|yi)\b|-(?:Arab|Hebr)\b/;

function figureLocale(locale: Locale): string {
  const reader = readerLocale(locale);
  return rightToLeft.test(reader) ? 'en' : reader;
}

/** The reader's English. For other languages, that of the United States or of Great Britain, with the clock of the reader. */
function wordLocale(locale: Locale): string {
  const reader = readerLocale(locale);
  if (/^en\b/.test(reader)) return reader;
  const { hourCycle = 'h23' } = new Intl.DateTimeFormat(reader, { hour: 'numeric' }).resolvedOptions();
  return `${reader.endsWith('-US') ? 'en-US' : 'en-GB'}-u-hc-${hourCycle}`;
}

function readerLocale(locale: Locale): string {
  return new Intl.NumberFormat(locale).resolvedOptions().locale;
}
