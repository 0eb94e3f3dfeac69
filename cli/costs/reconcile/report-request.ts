/** Sends requests for a cost report. The key goes only to the address of the report. */

import { AdminError } from '#cli/errors.ts';
import { retryAfterMsOf } from '#lambdas/inference/providers/http/headers.ts';
import { redact } from '#lambdas/inference/providers/redact.ts';
import { minuteMs } from '#lambdas/platform/duration.ts';
import { objectOrEmpty, parseJsonObject, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';

interface ReportRequest {
  url: URL;
  headers: Record<string, string>;
  /** Contained in the headers, and redacted in the response. */
  key: string;
  /** Explains which key is required, for a key that the provider refuses. */
  keyAdvice: string;
}

const timeoutMs = minuteMs;
const maxAttempts = 4;
const firstPauseMs = 1000;
const maxPauseMs = minuteMs;

/** Resolves to the body of a successful response. */
export async function requestReport(
  request: ReportRequest,
  job: Pick<LongJob, 'signal' | 'wait'>,
): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const { status, headers, text } = await send(request, job.signal);
    if (status === 200) return text;
    const failure = `${withoutQuery(request.url)} returned HTTP status ${status}`;
    // The provider's message can contain a part of the key.
    if (status === 401 || status === 403) throw new AdminError(`${failure}: ${request.keyAdvice}`);
    const isTransient = status === 429 || status >= 500;
    if (!isTransient) throw new AdminError(`${failure}${messageOf(text)}`);
    const pauseMs = retryAfterMsOf(headers) ?? firstPauseMs * 2 ** (attempt - 1);
    if (attempt === maxAttempts || pauseMs > maxPauseMs) {
      throw new AdminError(`${failure}: try again in ${Math.max(1, Math.ceil(pauseMs / 1000))} s`);
    }
    await job.wait(pauseMs, `${failure}, trying again`);
  }
}

async function send({ url, headers, key }: ReportRequest, signal: AbortSignal) {
  try {
    const response = await fetch(url, {
      headers,
      // A redirect could send the key to another host.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const text = redact(await response.text(), key);
    return { status: response.status, headers: Object.fromEntries(response.headers), text };
  } catch (error) {
    const reason = signal.aborted ? null : failureReason(error);
    throw reason === null ? error : new AdminError(`${withoutQuery(url)} could not be read: ${reason}`);
  }
}

/** Returns `null` for errors that are not those of a connection. */
function failureReason(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (error.name === 'TimeoutError') return `no response within ${timeoutMs / 1000} s`;
  if (!(error instanceof TypeError)) return null;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause ? String(cause.code) : cause.message;
}

const maxMessageLength = 200;

/** Both providers have it at `error.message`. */
function messageOf(text: string): string {
  const message = stringOrEmpty(objectOrEmpty(parseJsonObject(text)?.error).message);
  const printable = message.replace(/[^ -~]+/g, ' ').trim();
  return printable === '' ? '' : `: ${printable.slice(0, maxMessageLength)}`;
}

/** The query names a page, and can be long. */
function withoutQuery({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}
