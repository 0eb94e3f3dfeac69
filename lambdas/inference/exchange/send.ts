/**
 * Sends a request to its provider, and retries it only where the failed attempt cannot have been charged: the provider
 * was not reached, rejected the credential or a field that is optional, or asked for a retry. All attempts share the deadlines.
 */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { ResponseSink } from '#lambdas/platform/http/response-sink.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import type { CredentialSource } from '../providers/credentials.ts';
import type { HttpTransport } from '../providers/http/client.ts';
import { ConnectError, UnansweredError } from '../providers/http/connection-errors.ts';
import { createDeadlineWatch, type DeadlineWatch } from '../providers/http/deadlines.ts';
import { readResponse } from '../providers/http/response.ts';
import type { FailedResponse, PreparedRequest, Provider, ProviderResponse } from '../providers/provider.ts';
import type { IncomingRequest } from './exchange.ts';
import type { Fallback } from './fallback.ts';
import { type ChatLimits, providerDeadlineMs } from './limits.ts';

/** Loaded for requests that a provider has rejected. */
const loadRefusals = lazy(() => import('./refused-fields.ts'));

export interface SendDependencies {
  transport: HttpTransport;
  credentials: Pick<CredentialSource, 'refresh'>;
  limits: ChatLimits;
  now(): Date;
}

export interface SendResult {
  response: ProviderResponse;
  /** The request of the last attempt, which may have another credential than the first, or fewer fields. */
  prepared: PreparedRequest;
  /** Does not count the attempts with a renewed credential and without refused fields. */
  retries: number;
  /** When a `FailedResponse` was read; `null` for other responses, and if the provider did not respond. */
  failureReadAtMs: number | null;
  /** The deadlines of `response`. The caller of `send` stops the watch once the response is read. */
  watch: DeadlineWatch;
}

/**
 * Sends nothing to the caller, and retries nothing once a heartbeat has started the response. Returns a `FailedResponse` when
 * the provider could not be reached.
 */
export async function send(
  { transport, credentials, limits, now }: SendDependencies,
  { response: callerResponse, deadlineMs, signal }: IncomingRequest,
  provider: Provider,
  first: PreparedRequest,
  fallback: Pick<Fallback, 'onCall'> | null = null,
): Promise<SendResult> {
  const startMs = now().getTime();
  const firstByteDeadlineMs = startMs + limits.firstByteMs;
  const totalDeadlineMs = Math.min(startMs + limits.totalMs, providerDeadlineMs(startMs, deadlineMs));
  const canRetry = (waitMs: number) =>
    callerResponse.status === null &&
    !callerResponse.clientDisconnected &&
    now().getTime() + waitMs < Math.min(firstByteDeadlineMs, totalDeadlineMs);

  let prepared = first;
  let isCredentialRenewed = false;
  let retries = 0;
  for (;;) {
    const nowMs = now().getTime();
    const watch = createDeadlineWatch({
      firstByteMs: firstByteDeadlineMs - nowMs,
      idleMs: limits.idleMs,
      totalMs: totalDeadlineMs - nowMs,
    });
    fallback?.onCall(watch);
    callerResponse.onClientDisconnect(() =>
      watch.finishWithin({ milliseconds: limits.drainMs, bytes: limits.drainBytes, signal }),
    );
    const response = await attempt(prepared, transport, watch);
    const hasFailed = response.kind === 'failure' && response.status !== null;
    const failureReadAtMs = hasFailed ? now().getTime() : null;
    const result: SendResult = { response, prepared, retries, failureReadAtMs, watch };
    const { call, protocol } = prepared;
    if (response.kind !== 'failure') {
      if (call.omitted !== undefined) protocol.rememberRefusals();
      return result;
    }
    watch.stop();

    const { apiKey } = call;
    if (response.error.code === 'provider_authentication_failed' && !isCredentialRenewed && apiKey !== null) {
      const renewed = await credentials.refresh(provider, apiKey);
      if (renewed === null) return result;
      isCredentialRenewed = true;
      prepared = await prepared.prepareAgain({ apiKey: renewed });
      if (!canRetry(0)) return result;
      continue;
    }
    const refused = isRejection(response) ? (await loadRefusals()).refusedField(response, call) : null;
    if (refused !== null) {
      const without = await prepared.prepareAgain({ omitted: [...(call.omitted ?? []), refused] });
      if (without.outgoing.body === prepared.outgoing.body || !canRetry(0)) return result;
      prepared = without;
      continue;
    }
    const waitMs = retryWaitMs(response, limits);
    if (waitMs === null || retries >= limits.retries || !canRetry(waitMs)) return result;
    await pause(waitMs, callerResponse);
    if (!canRetry(0)) return result;
    retries += 1;
  }
}

function isRejection({ status }: FailedResponse): boolean {
  return status === 400 || status === 422;
}

async function attempt(
  prepared: PreparedRequest,
  transport: HttpTransport,
  watch: DeadlineWatch,
): Promise<ProviderResponse> {
  try {
    const sending = transport(prepared.outgoing, watch);
    prepared.protocol.loadReaders().catch(() => {});
    return await readResponse(prepared, await sending);
  } catch (error) {
    watch.stop();
    if (!(error instanceof GatewayError)) throw error;
    const mayBeCharged = error instanceof UnansweredError;
    return {
      kind: 'failure',
      requestId: null,
      status: null,
      error,
      callerHeaders: {},
      mayBeCharged,
      retryAfterMs: null,
    };
  }
}

/** Returns `null` when a retry might be charged twice or cannot succeed. */
export function retryWaitMs(
  { status, error, retryAfterMs }: Pick<FailedResponse, 'status' | 'error' | 'retryAfterMs'>,
  limits: Pick<ChatLimits, 'retryAfterMs'>,
): number | null {
  if (error instanceof ConnectError) return error.retryDelayMs;
  // 529 is not retried, since more requests would not help an overloaded provider.
  if (status !== 429 && status !== 503) return null;
  // Waiting does not restore an exhausted account.
  if (/quota|billing|balance|credit/i.test(error.providerCode ?? '')) return null;
  return retryAfterMs !== null && retryAfterMs <= limits.retryAfterMs ? retryAfterMs : null;
}

/** Resolves early when the caller disconnects. */
function pause(milliseconds: number, response: ResponseSink): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    response.onClientDisconnect(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
