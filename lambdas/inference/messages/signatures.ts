/**
 * The signatures of thinking blocks that a provider without the Messages API has made. They carry its opaque data, which only
 * the same provider gets back. Claude's own signatures stay as they are, since each provider of Claude accepts them.
 */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { Payload } from '../completion/conversation.ts';

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

/** The signatures in a thinking block; none in any other block. */
export function signaturesOf({ type, signature }: JsonObject): SignedData[] {
  return type === 'thinking' && typeof signature === 'string' ? readSignatures(signature) : [];
}

/** True for thinking of a provider without the Messages API, other than `provider`. */
export function isSignedByOther(block: JsonObject, provider: string | null): boolean {
  return signaturesOf(block).some((signed) => signed.provider !== provider);
}

/** True for signed or redacted thinking of Claude, whose data only a provider with the Messages API takes back. */
export function isSignedByClaude(block: JsonObject): boolean {
  const { type, signature } = block;
  if (type === 'redacted_thinking') return true;
  const isSigned = type === 'thinking' && typeof signature === 'string' && signature !== '';
  return isSigned && signaturesOf(block).length === 0;
}

/** Searches the text of a request, since almost none has thinking of a provider without the Messages API. */
export function mayHaveForeignThinking({ text }: { text: string }): boolean {
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

const formats: readonly string[] = ['openai', 'anthropic', 'google', 'bedrock'] satisfies Payload['format'][];

function isFormat(format: string): format is Payload['format'] {
  return formats.includes(format);
}

const kinds: readonly string[] = ['signature', 'redacted', 'encrypted'] satisfies Payload['kind'][];

function isKind(kind: string): kind is Payload['kind'] {
  return kinds.includes(kind);
}
