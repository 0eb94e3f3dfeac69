/** Reads figures as the page shows them, and as people write them in their country. */
import { type Locale, numberFormat } from './locale.ts';

/** Invisible marks of the direction of text, which come with copied figures. */
const directionMarks = /[\u200e\u200f\u061c\u2066-\u2069]/g;

/** The zeros of the digits that Arabic and Persian keyboards write. */
const otherZeros = [0x0660, 0x06f0];

/**
 * Returns decimal text such as "1234.5" for "1,234.5", or for "1.234,5" where that is how the figure is shown; `null` if it
 * is no number. The other country's separator is understood where it cannot be one of thousands, as in "0.0002".
 */
export function parseLocaleNumber(text: string, locale?: Locale): string | null {
  const plain = withLatinDigits(text.normalize('NFKC').replaceAll(directionMarks, '')).trim();
  const [, sign = '', figure = ''] = /^([-−]?)(\d[\d.,\s'’٫٬]*)$/.exec(plain) ?? [];
  if (figure === '') return null;
  const { decimal, group } = separatorsOf(locale);
  const written = figure.replaceAll('٬', group).replaceAll('٫', decimal);
  const digits = readFigure(written, decimal, group) ?? readFigure(written, ...otherSeparators(decimal));
  if (digits === null) return null;
  return sign === '' ? digits : `-${digits}`;
}

/** The same for an amount of US dollars, such as "$0.0002" or "143,00 $". */
export function parseLocaleUsd(text: string, locale?: Locale): string | null {
  const plain = text.normalize('NFKC').replaceAll(directionMarks, '').trim();
  const figure = plain.replace(/^(?:(?:US ?)?\$|USD)/i, '');
  // The currency is written once.
  return parseLocaleNumber(figure === plain ? plain.replace(/(?:(?:US ?)?\$|USD)$/i, '') : figure, locale);
}

/** Returns the text with which a field begins: "0,0002" for the amount "0.0002" where that is how it is shown. */
export function editableNumber(decimalText: string, locale?: Locale): string {
  return decimalText.replace('.', separatorsOf(locale).decimal);
}

function separatorsOf(locale: Locale): { decimal: string; group: string } {
  const parts = numberFormat({ useGrouping: true }, locale).formatToParts(-1234567.5);
  const separator = (type: string) => parts.find((part) => part.type === type)?.value.normalize('NFKC');
  return { decimal: separator('decimal') ?? '.', group: separator('group') ?? ',' };
}

function otherSeparators(decimal: string): [decimal: string, group: string] {
  return decimal === ',' ? ['.', ','] : [',', '.'];
}

/** Null unless the separators of thousands are where they belong. */
function readFigure(figure: string, decimal: string, group: string): string | null {
  const [whole = '', fraction, ...rest] = figure.split(decimal);
  if (rest.length > 0 || (fraction !== undefined && !/^\d+$/.test(fraction))) return null;
  const separator = /['’\s]/.test(group) ? /['’\s]/ : group;
  const [first = '', ...groups] = whole.split(separator);
  const isGrouped =
    groups.length === 0 ? /^\d+$/.test(first) : /^[1-9]\d{0,2}$/.test(first) && areGroups(groups);
  if (!isGrouped) return null;
  const digits = first + groups.join('');
  return fraction === undefined ? digits : `${digits}.${fraction}`;
}

/** Three digits each; in India, only the last has three, and the others two. */
function areGroups(groups: readonly string[]): boolean {
  const isLast = (index: number) => index === groups.length - 1;
  const haveSize = (size: number) =>
    groups.every((digits, index) => /^\d+$/.test(digits) && digits.length === (isLast(index) ? 3 : size));
  return haveSize(3) || haveSize(2);
}

function withLatinDigits(text: string): string {
  return text.replaceAll(/[٠-٩۰-۹]/g, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    const zero = otherZeros.find((start) => code >= start && code < start + 10) ?? code;
    return String(code - zero);
  });
}
