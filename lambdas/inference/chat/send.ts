/**
 * Sends a request to its provider, and again where nobody can have been charged for it: the provider was not reached,
 * refused the credential, or wants the same request later. All attempts share the deadlines.
 */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { ResponseSink } from '#lambdas/platform/http/response-sink.ts';
import type { CredentialSource } from '../providers/credentials.ts';
import type { HttpTransport } from '../providers/http/client.ts';
import { createDeadlineWatch, type DeadlineWatch } from '../providers/http/deadlines.ts';
import { ConnectError } from '../providers/http/failures.ts';
import { readResponse } from '../providers/http/response.ts';
import type { FailedResponse, PreparedRequest, Provider, ProviderResponse } from '../providers/provider.ts';
import type { IncomingRequest } from './exchange.ts';
import { type ChatLimits, providerDeadlineMs } from './limits.ts';

export interface SendDependencies {
  transport: HttpTransport;
  credentials: Pick<CredentialSource, 'refresh'>;
  limits: ChatLimits;
  now(): Date;
}

export interface SendResult {
  response: ProviderResponse;
  /** What the reply answers: with another credential than the first, perhaps. */
  prepared: PreparedRequest;
  /** How often it was sent again; not counting a credential that was replaced. */
  retries: number;
  /** Of the reply; stopped by whoever has read it. */
  watch: DeadlineWatch;
}

/** Sends nothing to the caller. Whatever fails on the way to the provider is a refusal. */
export async function send(
  { transport, credentials, limits, now }: SendDependencies,
  { response, deadlineMs, signal }: IncomingRequest,
  provider: Provider,
  first: PreparedRequest,
): Promise<SendResult> {
  const startMs = now().getTime();
  const firstByteDeadlineMs = startMs + limits.firstByteMs;
  const totalDeadlineMs = Math.min(startMs + limits.totalMs, providerDeadlineMs(startMs, deadlineMs));
  const isWorthwhile = (waitMs: number) =>
    !response.clientDisconnected && now().getTime() + waitMs < Math.min(firstByteDeadlineMs, totalDeadlineMs);

  let prepared = first;
  let retries = 0;
  for (;;) {
    const nowMs = now().getTime();
    const watch = createDeadlineWatch({
      firstByteMs: firstByteDeadlineMs - nowMs,
      idleMs: limits.idleMs,
      totalMs: totalDeadlineMs - nowMs,
    });
    response.onClientDisconnect(() =>
      watch.finishWithin({ milliseconds: limits.drainMs, bytes: limits.drainBytes, signal }),
    );
    const reply = await attempt(prepared, transport, { watch, maxBytes: limits.maxCompletionBytes });
    const sent: SendResult = { response: reply, prepared, retries, watch };
    if (reply.kind !== 'refusal') return sent;
    watch.stop();

    const { apiKey } = prepared.call;
    const isFirstCredential = prepared === first;
    if (reply.error.code === 'provider_authentication_failed' && isFirstCredential && apiKey !== null) {
      const renewed = await credentials.refresh(provider, apiKey);
      if (renewed === null) return sent;
      prepared = await provider.prepare({ ...prepared.call, apiKey: renewed });
      if (!isWorthwhile(0)) return sent;
      continue;
    }
    const waitMs = retryWaitMs(reply, limits);
    if (waitMs === null || retries >= limits.retries || !isWorthwhile(waitMs)) return sent;
    await pause(waitMs, response);
    if (response.clientDisconnected) return sent;
    retries += 1;
  }
}

async function attempt(
  prepared: PreparedRequest,
  transport: HttpTransport,
  { watch, maxBytes }: { watch: DeadlineWatch; maxBytes: number },
): Promise<ProviderResponse> {
  try {
    return await readResponse(prepared, await transport(prepared.outgoing, watch), maxBytes);
  } catch (error) {
    watch.stop();
    if (!(error instanceof GatewayError)) throw error;
    return { kind: 'refusal', requestId: null, status: null, error, retryAfterMs: null };
  }
}

/** `null` where a second request might be a second charge, or would come to nothing. */
export function retryWaitMs(
  { status, error, retryAfterMs }: Omit<FailedResponse, 'kind' | 'requestId'>,
  limits: Pick<ChatLimits, 'retryAfterMs'>,
): number | null {
  if (error instanceof ConnectError) return error.waitMs;
  // Not 529: who is overloaded is not helped by more.
  if (status !== 429 && status !== 503) return null;
  // No wait fills an empty account.
  if (/quota|billing|balance|credit/i.test(error.providerCode ?? '')) return null;
  return retryAfterMs !== null && retryAfterMs <= limits.retryAfterMs ? retryAfterMs : null;
}

/** Ends early when the caller goes. */
function pause(milliseconds: number, response: ResponseSink): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    response.onClientDisconnect(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
