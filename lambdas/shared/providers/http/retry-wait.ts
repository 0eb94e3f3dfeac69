/** How long a provider that refused a request asks to wait before the same request may come again. */
import type { GatewayError } from '../../domain/gateway-error.ts';
import type { ReplyHeaders } from './http-transport.ts';
import { retryAfterOf } from './reply-headers.ts';

export interface RefusedReply {
  status: number;
  headers: ReplyHeaders;
  /** What was made of its body. */
  error: GatewayError;
}

/** `null` when it does not say so, or when there is no use in asking again: no wait fills an empty account. */
export function retryWaitMs({ status, headers, error }: RefusedReply): number | null {
  // Not 529: who is overloaded is not helped by more.
  if (status !== 429 && status !== 503) return null;
  if (/quota|billing|balance|credit/i.test(error.providerCode ?? '')) return null;
  return plainNumber(headers['retry-after-ms']) ?? secondsOrDate(headers);
}

function secondsOrDate(headers: ReplyHeaders): number | null {
  const seconds = plainNumber(headers['retry-after']);
  if (seconds !== null) return seconds * 1000;
  const until = Date.parse(retryAfterOf(headers['retry-after']) ?? '');
  // By the provider's own clock.
  const waitMs = until - Date.parse(retryAfterOf(headers.date) ?? '');
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs);
}

function plainNumber(text = ''): number | null {
  return /^\d{1,9}(\.\d{1,9})?$/.test(text.trim()) ? Number(text) : null;
}
