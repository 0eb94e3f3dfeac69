/** Rate limits in words, and as people enter them. */
import type { Locale } from '#dashboard/components/values/locale.ts';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { parseLocaleNumber } from '#dashboard/components/values/parse-number.ts';
import type {
  RateLimitList,
  RateLimitOwner,
  RateLimitsSummary,
} from '#lambdas/accounts/organizations/responses.ts';
import { maxRateLimits, rateLimitNames } from '#lambdas/limits/rates/rate-limits.ts';

type RateLimitName = (typeof rateLimitNames)[number];

interface LimitWords {
  title: string;
  /** After the number one, and after others. */
  units: readonly [one: string, many: string];
}

export const limitWords: Record<RateLimitName, LimitWords> = {
  requests_per_minute: {
    title: 'Requests per minute',
    units: ['request per minute', 'requests per minute'],
  },
  tokens_per_minute: {
    title: 'Tokens per minute',
    units: ['token per minute', 'tokens per minute'],
  },
  concurrent: {
    title: 'Concurrent requests',
    units: ['concurrent request', 'concurrent requests'],
  },
};

export const noLimits: RateLimitsSummary = {
  requests_per_minute: null,
  tokens_per_minute: null,
  concurrent: null,
};

/** Null for limits none of which is set. */
export function setLimits(limits: RateLimitsSummary | null): RateLimitsSummary | null {
  return limits !== null && rateLimitNames.some((name) => limits[name] !== null) ? limits : null;
}

/** Returns text such as "600 requests per minute". */
export function limitText(name: RateLimitName, value: number, locale?: Locale): string {
  const [one, many] = limitWords[name].units;
  return `${formatCount(value, locale)} ${value === 1 ? one : many}`;
}

const wordList = new Intl.ListFormat('en');

/** Returns text such as "600 requests per minute and 20 concurrent requests"; empty without any. */
export function limitsText(limits: RateLimitsSummary, locale?: Locale): string {
  const texts = rateLimitNames.flatMap((name) => {
    const value = limits[name];
    return value === null ? [] : [limitText(name, value, locale)];
  });
  return wordList.format(texts);
}

/** The limits as they are entered; empty without a limit. */
export type EnteredLimits = Record<RateLimitName, string>;

export function editableLimits(limits: RateLimitsSummary, locale?: Locale): EnteredLimits {
  const text = (value: number | null) => (value === null ? '' : formatCount(value, locale));
  return {
    requests_per_minute: text(limits.requests_per_minute),
    tokens_per_minute: text(limits.tokens_per_minute),
    concurrent: text(limits.concurrent),
  };
}

/** Returns why a limit is refused, or `null`. */
export function checkLimit(name: RateLimitName, text: string, locale?: Locale): string | null {
  const max = maxRateLimits[name];
  const limit = parseLimit(text, locale);
  return limit === null || (Number.isSafeInteger(limit) && limit >= 1 && limit <= max)
    ? null
    : `Enter a whole number from 1 to ${formatCount(max, locale)}, or nothing for no limit`;
}

export function parseLimits(entered: EnteredLimits, locale?: Locale): RateLimitsSummary {
  return {
    requests_per_minute: parseLimit(entered.requests_per_minute, locale),
    tokens_per_minute: parseLimit(entered.tokens_per_minute, locale),
    concurrent: parseLimit(entered.concurrent, locale),
  };
}

/** Null for an empty text, and NaN for one that is no number. */
function parseLimit(text: string, locale: Locale): number | null {
  if (text.trim() === '') return null;
  const figure = parseLocaleNumber(text, locale);
  return figure === null ? Number.NaN : Number(figure);
}

export type DefaultName = keyof RateLimitList['defaults'];

/** The limits of the organization or a key, or those that new keys start with; there may be none yet. */
export type PresentLimits =
  | { kind: 'owner'; owner: RateLimitOwner }
  | { kind: 'default'; name: DefaultName; limits: RateLimitsSummary | null };

/** The limits that a dialog sets; those of `new` are of an owner that is chosen in it. */
export type LimitsSubject = { kind: 'new' } | PresentLimits;

export const defaultTitles: Record<DefaultName, string> = {
  new_keys: 'All new keys',
  member_keys: 'Keys that members create',
};

/** The fragment of links to the rate limits. */
export const rateLimitsFragment = 'rate-limits';

export function allOf(organizationName: string): string {
  return `All of ${organizationName}`;
}

export function limitsOf(subject: LimitsSubject): RateLimitsSummary | null {
  switch (subject.kind) {
    case 'new':
      return null;
    case 'owner':
      return setLimits(subject.owner);
    case 'default':
      return setLimits(subject.limits);
    default:
      return subject satisfies never;
  }
}
