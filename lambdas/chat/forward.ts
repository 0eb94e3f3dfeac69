/** The part of a request that costs money: sent to its provider, and the answer brought to the caller. */
import type { StreamedResponse } from '../shared/http/streamed-response.ts';
import type { PreparedRequest, Provider, ProviderReply } from '../shared/providers/provider.ts';
import { forwardedLine } from './forwarded-line.ts';
import type { LogDraft } from './log-draft.ts';
import { relayAnswer, relayStream } from './relay.ts';
import { type SendServices, sendWithRetries } from './send-with-retries.ts';
import type { EntryServices } from './write-entry.ts';

export type ForwardServices = SendServices & EntryServices;

export interface Forwarding {
  provider: Provider;
  prepared: PreparedRequest;
  /** The same with the credential that has come since; `null` when there is none. */
  renew(): Promise<PreparedRequest | null>;
  response: StreamedResponse;
  headers: Record<string, string>;
  draft: LogDraft;
  /** What is left of the function's time. */
  remainingMs(): number;
}

export async function forward(services: ForwardServices, forwarding: Forwarding): Promise<void> {
  const { draft } = forwarding;
  draft.forwarded = true;
  services.output.log(forwardedLine(draft, services.now().getTime()));
  const sending = sendWithRetries(services, forwarding);
  // Loads while the provider works; a failure shows when the price is needed.
  services.loadPriceTable().catch(() => {});
  const { reply, watch } = await sending;
  try {
    await relayReply(services, forwarding, reply);
  } finally {
    watch.stop();
  }
}

async function relayReply(
  { now }: ForwardServices,
  { provider, response, headers, draft }: Forwarding,
  reply: ProviderReply,
): Promise<void> {
  draft.providerRequestId = reply.requestId;
  if (reply.requestId !== null) headers['x-gateway-provider-request-id'] = reply.requestId;
  const relay = { provider, response, headers, draft, now };
  switch (reply.kind) {
    case 'refusal':
      throw reply.error;
    case 'answer':
      return relayAnswer(relay, await reply.read());
    case 'stream':
      return relayStream(relay, reply);
    default:
      return reply satisfies never;
  }
}
