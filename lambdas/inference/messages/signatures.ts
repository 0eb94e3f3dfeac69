/** The signatures of thinking blocks. Claude's own stay as they are, since each provider of Claude accepts them. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { readSignatures, type SignedData } from '../completion/signatures.ts';

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
