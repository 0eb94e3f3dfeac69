/**
 * The signatures by which a caller sends reasoning back. They carry the opaque data of a provider, which only the same provider
 * gets back, and are opaque themselves.
 */
import { type AssistantPart, isCall, type Payload } from './conversation.ts';

export interface SignedData {
  /** The name of the provider. */
  provider: string;
  owner: SignatureOwner;
  /** `null` if the provider has none: the signature then says only whose thinking it is. */
  payload: Payload | null;
}

/** The data belongs to the thinking itself, to the text before it, or to the call with this id. */
export type SignatureOwner = 'thinking' | 'text' | { callId: string };

const prefix = 'gateway';

/**
 * Each ends with a semicolon, since qwen-code joins the thinking blocks of a message, and their signatures, to a single one;
 * the position of a call's block is lost too, so that its id is a part of the signature.
 */
export function writeSignature({ provider, owner, payload }: SignedData): string {
  const ownerFields = typeof owner === 'string' ? [owner, ''] : ['call', owner.callId];
  const { format = '', kind = '', data = '' } = payload ?? {};
  const fields = [prefix, provider, ...ownerFields, format, kind, data];
  return `${fields.map((field) => encodeURIComponent(field.toWellFormed())).join('/')};`;
}

const signaturePattern = /gateway(?:\/[^/;]*){6};/g;

/** Returns an empty list for a signature of Claude. */
export function readSignatures(signature: string): SignedData[] {
  return [...signature.matchAll(signaturePattern)].flatMap(([match]) => {
    const fields = decodeFields(match.slice(0, -1).split('/'));
    const [, provider = '', kindOfOwner, callId = '', format = '', kind = '', data = ''] = fields ?? [];
    const owner = kindOfOwner === 'call' ? { callId } : kindOfOwner;
    if (fields === null || !isOwner(owner)) return [];
    const payload = isFormat(format) && isKind(kind) ? { format, kind, data } : null;
    return [{ provider, owner, payload }];
  });
}

/**
 * Returns each part with the data that belongs to it, which is in the reasoning before a call, after a text, or at the front of
 * a message whose reasoning was joined; data of several parts of reasoning that were joined becomes parts of its own.
 */
export function withSignedData(
  parts: readonly AssistantPart[],
  signatures: readonly (readonly SignedData[])[],
): AssistantPart[] {
  const calls = new Map(parts.filter(isCall).map((part) => [part.id, part]));
  const owned = new Map<AssistantPart, Payload[]>();
  /** The one before the part, or else the first one. */
  let text = parts.find(({ type }) => type === 'text');
  for (const [index, part] of parts.entries()) {
    if (part.type === 'text') text = part;
    for (const { owner, payload } of signatures[index] ?? []) {
      const target = owner === 'thinking' ? part : owner === 'text' ? text : calls.get(owner.callId);
      if (target === undefined || payload === null) continue;
      const payloads = owned.get(target) ?? [];
      payloads.push(payload);
      owned.set(target, payloads);
    }
  }
  return parts.flatMap((part): AssistantPart[] => {
    const [first, ...others] = owned.get(part) ?? [];
    const isCarrier = part.type === 'reasoning' && part.text === '' && part.payload === null;
    // Without a text, signatures of other parts are all that it had.
    if (first === undefined) return isCarrier ? [] : [part];
    const signed = { ...part, payload: first };
    if (part.type !== 'reasoning') return [signed];
    return [signed, ...others.map((payload) => ({ type: 'reasoning', text: '', payload }) as const)];
  });
}

/** Searches the text of a request, since almost none has a signature of the gateway. */
export function mayHaveSignatures({ text }: { text: string }): boolean {
  return text.includes('gateway/') || text.includes('gateway\\/');
}

/** Returns `null` for escapes that this gateway has not written. */
function decodeFields(fields: readonly string[]): string[] | null {
  try {
    return fields.map(decodeURIComponent);
  } catch {
    return null;
  }
}

function isOwner(owner: unknown): owner is SignatureOwner {
  return typeof owner === 'object' || owner === 'thinking' || owner === 'text';
}

const knownFormats: readonly Payload['format'][] = ['openai', 'responses', 'anthropic', 'google', 'bedrock'];
const formats: readonly string[] = knownFormats;

function isFormat(format: string): format is Payload['format'] {
  return formats.includes(format);
}

const kinds: readonly string[] = ['signature', 'redacted', 'encrypted'] satisfies Payload['kind'][];

function isKind(kind: string): kind is Payload['kind'] {
  return kinds.includes(kind);
}
