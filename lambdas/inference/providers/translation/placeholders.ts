/** Values for what a provider has left out of its response, derived from the gateway's request. */
import type { ProviderCall } from '../provider.ts';

type Identified = Pick<ProviderCall, 'requestId' | 'receivedAtMs' | 'model'>;

export interface CompletionIdentity {
  id: string;
  /** Unix time in seconds. */
  created: number;
  model: string;
}

export function placeholderIdentity({ requestId, receivedAtMs, model }: Identified): CompletionIdentity {
  return { id: `chatcmpl-${requestId}`, created: Math.floor(receivedAtMs / 1000), model };
}

/** Audio that the provider does not store, so that the id cannot be used in a later request. */
export function placeholderAudio({ requestId, receivedAtMs }: Identified, choiceIndex: number) {
  return { id: `audio_${requestId}_${choiceIndex}`, expires_at: Math.floor(receivedAtMs / 1000) };
}

/**
 * Returns `call_<request>_<choice>_<call>` with only the random part of the request id: if the conversation continues
 * at OpenAI, ids of more than 40 characters are rejected. https://github.com/Portkey-AI/gateway/issues/1062
 */
export function placeholderCallId(
  { requestId }: Pick<Identified, 'requestId'>,
  choiceIndex: number,
  callIndex: number,
): string {
  return `call_${requestId.replaceAll('-', '').slice(-24)}_${choiceIndex}_${callIndex}`;
}
