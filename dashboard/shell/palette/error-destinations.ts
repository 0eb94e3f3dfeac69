/** Requests with an error, by its status or code. */
import { isStatus } from '#dashboard/filters/fields.ts';
import type { Destination } from './destination.ts';
import { matching } from './matching.ts';

/** The codes of the gateway and of most providers, with other words for them. */
const errorWords: Record<string, string> = {
  rate_limit_exceeded: 'too many requests throttled concurrent refused 429',
  insufficient_quota: 'hard budget exceeded budget_exceeded limit reached refused too little left credit 429',
  invalid_request_error: 'bad request parameter 400',
  unsupported_parameter: 'parameter 400',
  model_not_found: 'unknown model 400 404',
  model_not_allowed: 'forbidden model 403',
  model_not_priced: 'price missing unpriced 403',
  provider_not_configured: 'set up credentials 400',
  provider_rejected_request: 'refused 400',
  provider_authentication_failed: 'credential key unauthorized 502',
  provider_error: 'failed 500 502',
  provider_unavailable: 'overloaded unreachable 503',
  provider_timeout: 'timed out slow 504',
  context_length_exceeded: 'too long tokens 400',
  content_filter: 'blocked refused',
  request_too_large: 'body size 413',
  service_unavailable: '503',
  internal_error: '500',
};

/** A code that only a provider has, such as `engine_overloaded_error`. */
const otherCode =
  /^[a-z]+(?:_[a-z]+)*_(?:error|exceeded|failed|found|invalid|limit|overloaded|reached|unavailable)$/;

/** The text of a single letter matches too much. */
const minCharacters = 3;

const maxCodes = 4;

export function errorDestinations(organizationId: string, text: string): Destination[] {
  const search = text.trim().toLowerCase();
  if (search.length < minCharacters) return [];
  const to = '/organizations/$organizationId/logs' as const;
  const params = { organizationId };
  const ofStatus: Destination[] = isStatus(search)
    ? [
        {
          id: `status/${search}`,
          kind: 'Logs',
          title: `Requests with the status ${search}`,
          link: { to, params, search: { status: search } },
        },
      ]
    : [];
  const toDestination = (code: string): Destination => ({
    id: `error/${code}`,
    kind: 'Logs',
    title: `Requests with the error ${code}`,
    keywords: errorWords[code],
    link: { to, params, search: { error_code: code } },
  });
  const known = matching(Object.keys(errorWords).map(toDestination), search).slice(0, maxCodes);
  return [...ofStatus, ...(known.length === 0 && otherCode.test(search) ? [toDestination(search)] : known)];
}
