/** Reads the reasoning that a caller sends back, whose encrypted content is the place for the data of its provider. */
import type { ReasoningPart } from '#lambdas/inference/completion/conversation.ts';
import { readSignatures, type SignedData } from '#lambdas/inference/completion/signatures.ts';
import { filterObjects, type JsonObject, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { reasoningIdPrefix } from '../ids.ts';

interface ReadReasoning {
  part: ReasoningPart;
  signatures: SignedData[];
}

/** Returns `null` for reasoning of another provider than `provider` whose data the gateway has signed. */
export function readReasoning(item: JsonObject, provider: string | null): ReadReasoning | null {
  const signatures = signaturesOf(item);
  if (signatures.some((signed) => signed.provider !== provider)) return null;
  const summaries = filterObjects(item.summary).map(({ text }) => stringOrEmpty(text));
  const raw = filterObjects(item.content).map(({ text }) => stringOrEmpty(text));
  const texts = summaries.some((text) => text !== '') ? summaries : raw;
  return { part: { type: 'reasoning', text: texts.join('\n\n'), payload: null }, signatures };
}

function signaturesOf({ encrypted_content: content }: JsonObject): SignedData[] {
  return typeof content === 'string' ? readSignatures(content) : [];
}

/** True for reasoning whose data `provider` cannot read. */
export function losesData(item: JsonObject, provider: string | null): boolean {
  if (item.type !== 'reasoning') return false;
  const signatures = signaturesOf(item);
  const isOfApi = signatures.length === 0 && stringOrEmpty(item.encrypted_content) !== '';
  return isOfApi || signatures.some((signed) => signed.provider !== provider);
}

/**
 * True for reasoning that the gateway has written, which a provider with the API could not read. Some clients do not send its
 * encrypted content back.
 */
export function isWrittenByGateway(item: JsonObject): boolean {
  if (item.type !== 'reasoning') return false;
  return signaturesOf(item).length > 0 || stringOrEmpty(item.id).startsWith(reasoningIdPrefix);
}
