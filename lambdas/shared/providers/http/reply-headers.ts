/** The two headers of a provider's answer that go on to the caller, as far as they are what they should be. */
import type { ReplyHeaders } from './http-transport.ts';

const longestRequestId = 128;

/** The first of the headers that is there, cut short; `null` for one that could not be shown in a header or a log. */
export function requestIdOf(headers: ReplyHeaders, names: readonly string[]): string | null {
  const ids = names.map((name) => headers[name]?.trim() ?? '');
  const id = ids.find((text) => /^[\x20-\x7e]+$/.test(text));
  return id?.slice(0, longestRequestId) ?? null;
}

const httpDate =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Whole seconds, or a date: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after. Some providers write fractions. */
export function retryAfterOf(text: string | undefined): string | undefined {
  const value = text?.trim() ?? '';
  if (/^\d{1,9}(\.\d{1,9})?$/.test(value)) return String(Math.ceil(Number(value)));
  return httpDate.test(value) ? value : undefined;
}
